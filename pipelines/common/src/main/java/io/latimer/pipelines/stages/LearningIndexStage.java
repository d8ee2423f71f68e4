package io.latimer.pipelines.stages;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.pipelines.stage.StageConfig;
import java.util.Map;

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
   * @param others other indexes that the operator reads, by key of the job file
   */
  LearningIndexStage(
      StageConfig config, ConfiguredIndex index, Map<String, ConfiguredIndex> others) {
    super(config, index, others);
  }

  /** The pairs learned beside the index file. */
  final LearnedPairs learned() {
    return learned == null ? LearnedPairs.none() : learned;
  }

  @Override
  public BatchStage on(String name, IndexVersion version) {
    return name.equals(name()) ? LearningStage.super.on(name, version) : super.on(name, version);
  }

  @Override
  public final LearningStage on(IndexRef index, LearnedPairs pairs) {
    LearningIndexStage<?> copy = (LearningIndexStage<?>) on(index);
    copy.learned = pairs;
    return copy;
  }
}
