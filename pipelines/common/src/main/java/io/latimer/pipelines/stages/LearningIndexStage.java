package io.latimer.pipelines.stages;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.pipelines.stage.StageConfig;

/**
 * A stage with an index, which learns sentence pairs beside it.
 *
 * @param <O> the operator
 */
abstract class LearningIndexStage<O extends BatchOperator<?, ?>> extends IndexStage<O>
    implements LearningStage {
  private static final long serialVersionUID = 1L;

  /** The learned pairs; null for none, because a stage sent to the tasks has not learned yet. */
  private transient LearnedPairs learned;

  /**
   * Creates the stage.
   *
   * @param others other indexes that the operator reads
   */
  LearningIndexStage(StageConfig config, ConfiguredIndex index, ConfiguredIndex... others) {
    super(config, index, others);
  }

  /** The pairs learned beside the index file. */
  final LearnedPairs learned() {
    return learned == null ? LearnedPairs.none() : learned;
  }

  @Override
  public final LearningStage on(IndexRef index, LearnedPairs pairs) {
    LearningIndexStage<?> copy = (LearningIndexStage<?>) on(index);
    copy.learned = pairs;
    return copy;
  }
}
