package io.latimer.pipelines.flink.control;

import io.latimer.pipelines.flink.batch.ChainedStages;
import io.latimer.pipelines.flink.state.LearnedState;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.record.Taught;
import java.util.List;
import java.util.Optional;

/** Commands that change the index versions of a group's stages: indexes, or learned pairs. */
abstract class IndexCommands implements CommandKind {
  private final List<ControlConfig.Learn> learn;
  final ChainedStages stages;
  final IndexesInUse inUse;
  final LearnedState learned;

  /**
   * Creates the kind.
   *
   * @param learn how stages learn, in all groups
   */
  IndexCommands(
      List<ControlConfig.Learn> learn,
      ChainedStages stages,
      IndexesInUse inUse,
      LearnedState learned) {
    this.learn = learn;
    this.stages = stages;
    this.inUse = inUse;
    this.learned = learned;
  }

  @Override
  public final boolean ofAllGroups() {
    return false;
  }

  /** What is learned beside an index of the group. */
  final Taught taught(String index) {
    return Taught.beside(inUse.versions().get(index).index().kind());
  }

  /** How a stage learns; empty if it does not. */
  final Optional<ControlConfig.Learn> limits(String stage) {
    return learn.stream().filter(one -> one.stage().equals(stage)).findFirst();
  }
}
