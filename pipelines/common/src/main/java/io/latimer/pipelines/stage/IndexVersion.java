package io.latimer.pipelines.stage;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPairs;
import java.util.Objects;

/**
 * What a stage looks things up in: an index file, and the sentence pairs that a job has learned
 * beside it.
 *
 * @param index the file, which has the pairs before {@code learned.from()} in it
 * @param learned the pairs; none for a stage that does not learn
 */
public record IndexVersion(IndexRef index, LearnedPairs learned) {
  public IndexVersion {
    Objects.requireNonNull(index, "index");
    Objects.requireNonNull(learned, "learned");
  }

  /** An index file alone. */
  public static IndexVersion of(IndexRef index) {
    return new IndexVersion(index, LearnedPairs.none());
  }

  /** Identifies the content: versions with the same key give the same answers. */
  String key() {
    return learned.isEmpty() ? index.sha256() : index.sha256() + " " + learned.digest();
  }
}
