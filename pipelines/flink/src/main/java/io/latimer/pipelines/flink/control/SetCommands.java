package io.latimer.pipelines.flink.control;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.job.LimitSettings;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.SwapState;
import java.util.function.Consumer;

/** Commands that change the batch limits of all groups. */
final class SetCommands implements CommandKind {
  private final MicroBatcher.Limits configured;
  private final Consumer<MicroBatcher.Limits> limits;

  /** The limits that commands have set; null if none has. Accessed in the task's thread only. */
  private BatchLimits set;

  /**
   * Creates the kind.
   *
   * @param configured the limits of the job file
   * @param set the limits that earlier commands have set; null if none has
   * @param limits receives the limits of later batches
   */
  SetCommands(
      MicroBatcher.Limits configured, BatchLimits set, Consumer<MicroBatcher.Limits> limits) {
    this.configured = configured;
    this.limits = limits;
    use(set);
  }

  private void use(BatchLimits change) {
    set = change;
    if (change != null) {
      limits.accept(LimitSettings.apply(configured, change));
    }
  }

  @Override
  public boolean isFor(ControlCommand command) {
    return command.getSet() != null;
  }

  @Override
  public boolean ofAllGroups() {
    return true;
  }

  @Override
  public boolean loads() {
    return false;
  }

  @Override
  public Change prepare(ControlCommand command) {
    return new Change() {
      @Override
      public MicroBatcher.Fill fill() {
        return MicroBatcher.Fill.SET;
      }

      @Override
      public Runnable apply() {
        BatchLimits change = command.getSet();
        use(set == null ? change : LimitSettings.merge(set, change));
        return () -> {};
      }

      @Override
      public void close() {
        // nothing was opened
      }
    };
  }

  @Override
  public void write(SwapState.Builder state) {
    state.setLimits(set);
  }

  @Override
  public String stage(ControlCommand command) {
    return "";
  }

  @Override
  public IndexReference reference(ControlCommand command) {
    return null;
  }

  @Override
  public String what(ControlCommand command) {
    return String.join(", ", LimitSettings.settings(command.getSet()));
  }

  @Override
  public String note(ControlCommand command) {
    MicroBatcher.Limits now = set == null ? configured : LimitSettings.apply(configured, set);
    return String.join(", ", LimitSettings.settings(LimitSettings.toRecord(now)));
  }
}
