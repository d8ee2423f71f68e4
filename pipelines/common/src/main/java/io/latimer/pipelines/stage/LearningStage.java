package io.latimer.pipelines.stage;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;

/** A stage that learns sentence pairs while a job runs. */
public interface LearningStage extends BatchStage {
  /**
   * The same stage on an index and learned pairs, not open. This one stays as it is.
   *
   * @param index of the same kind as its own
   * @param learned the pairs that it uses beside the index
   * @throws io.latimer.operators.OperatorException if the index is of another kind
   */
  LearningStage on(IndexRef index, LearnedPairs learned);

  /**
   * The words of a pair as the index has them; its sentences are whatever the stage takes as texts.
   * The stage must be open. Thread-safe.
   *
   * @param pair without links
   * @throws io.latimer.operators.RecordException if a sentence cannot be prepared
   */
  default LearnedPair prepare(LearnedPair pair) {
    return pair;
  }

  /**
   * Aligns the words of a pair with a model that the index has. The stage must be open. The result
   * depends on the pair and the index alone, not on learned pairs. Thread-safe.
   *
   * @param pair prepared
   * @return the pair with its alignment
   * @throws io.latimer.operators.RecordException if its sentences are too long to be aligned
   */
  LearnedPair align(LearnedPair pair);

  /**
   * Writes the index and the learned pairs that it uses to a new index file. The stage must be
   * open. Equal indexes and pairs give equal files. Thread-safe.
   *
   * @param folder a local path, which exists, or a URI of a file system of the engine; the file is
   *     named after its content, and appears when it is complete
   * @param writer letters and digits that no other writer to the folder has; only one may write at
   *     a time. What it did not complete before is deleted
   * @param progress told about each step; what it throws ends the work
   * @return the file
   * @throws io.latimer.operators.OperatorException if it cannot be written
   */
  IndexRef compact(String folder, String writer, BuildProgress progress);
}
