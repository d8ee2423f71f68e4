package io.latimer.pipelines.stage;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;

/** A stage that learns sentence pairs while a job runs. */
public interface LearningStage extends BatchStage {
  /**
   * An unopened copy of the stage on an index and learned pairs. This one is unchanged.
   *
   * @param index of the same kind as its own
   * @param learned the pairs that it uses beside the index
   * @throws io.latimer.operators.OperatorException if the index is of another kind
   */
  LearningStage on(IndexRef index, LearnedPairs learned);

  @Override
  default BatchStage on(String index, IndexVersion version) {
    return index.equals(name()) && !version.learned().isEmpty()
        ? on(version.index(), version.learned())
        : BatchStage.super.on(index, version);
  }

  /**
   * Splits a pair into words as the index has them; its sentences are texts as the stage takes
   * them. The stage must be open. Thread-safe.
   *
   * @param pair without links
   * @return the words, with the texts if the stage uses them
   * @throws io.latimer.operators.RecordException if a sentence cannot be prepared
   */
  default LearnedPair prepare(LearnedPair pair) {
    return pair;
  }

  /**
   * Aligns the words of a pair with the index's alignment model. The stage must be open. The result
   * depends only on the pair and the index, not on learned pairs. Thread-safe.
   *
   * @param pair a prepared pair
   * @return the pair with its alignment; without, if the stage uses none
   * @throws io.latimer.operators.RecordException if its sentences are too long to be aligned
   */
  default LearnedPair align(LearnedPair pair) {
    return pair;
  }

  /**
   * Writes the index and the learned pairs in use to a new index file. The stage must be open.
   * Equal indexes and pairs give equal files. Thread-safe.
   *
   * @param folder an existing local path, or a URI of a file system of the engine; the file is
   *     named by its content, and appears only when complete
   * @param writer letters and digits, unique among the writers to the folder; only one may write at
   *     a time. Files that it left incomplete are deleted
   * @param progress told about each step; an exception of its ends the work
   * @return the file
   * @throws io.latimer.operators.OperatorException if it cannot be written, or the stage's index
   *     takes no pairs
   */
  IndexRef compact(String folder, String writer, BuildProgress progress);
}
