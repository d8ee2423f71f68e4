package io.latimer.pipelines.stage;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPairs;
import java.util.Objects;

/**
 * A version of an index of a stage: a file, and the pairs that a job has learned beside it.
 *
 * @param index the file, which contains the pairs before {@code learned.from()}
 * @param learned the pairs; none for a stage that does not learn
 */
public record IndexVersion(IndexRef index, LearnedPairs learned) {
  public IndexVersion {
    Objects.requireNonNull(index, "index");
    Objects.requireNonNull(learned, "learned");
  }

  /** A version without learned pairs. */
  public static IndexVersion of(IndexRef index) {
    return new IndexVersion(index, LearnedPairs.none());
  }

  /** Identifies the content: versions with equal keys give equal results. */
  String key() {
    return learned.isEmpty() ? index.sha256() : index.sha256() + " " + learned.digest();
  }
}
