package io.latimer.pipelines.flink.control;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.CorrectionStatus;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.SwapState;
import java.util.List;

/**
 * A kind of command, and how a subtask of a group of stages executes it: {@link SwapCommands},
 * {@link AppendCommands} and {@link SetCommands}. {@link GroupCommands} agrees with the other
 * subtasks whether a command takes effect; {@link ControlledGatherer} holds the kinds and their
 * state, and {@link ControlIntake} validates commands before they get here.
 */
interface CommandKind {
  /**
   * The change that a command makes, prepared while batches are processed. It is either applied or
   * closed.
   */
  interface Change extends AutoCloseable {
    /** The reason to report for closing the open batch before the change. */
    MicroBatcher.Fill fill();

    /**
     * Releases restored batches that wait for the change, once it is decided. Called in the task's
     * thread before the open batch is closed, which may have to wait for them.
     */
    default void announce() {}

    /**
     * Makes later batches use the change. Called in the task's thread while no batch is open.
     *
     * @return closes what they used before; may take some time, so it must not run in the task's
     *     thread
     */
    Runnable apply();

    /** Discards the change. */
    @Override
    void close();
  }

  /** Whether a command is of this kind, and for this group. */
  boolean isFor(ControlCommand command);

  /** Whether all groups of the job decide together instead of each on its own. */
  boolean ofAllGroups();

  /** Whether preparing a command takes memory and time. */
  default boolean loads() {
    return true;
  }

  /**
   * Prepares a command, in a separate thread, after all earlier commands were executed.
   *
   * @throws io.latimer.operators.OperatorException if it cannot be executed
   */
  Change prepare(ControlCommand command);

  /** Writes what later batches use to the state, so that it survives a restore. */
  void write(SwapState.Builder state);

  /** The stage that a command targets; empty if it is for all. */
  String stage(ControlCommand command);

  /** The index that a command refers to; null if there is none. */
  IndexReference reference(ControlCommand command);

  /** A short description of a command, without secrets. */
  String what(ControlCommand command);

  /**
   * Ids of the parts of a command that have no effect, because it was refused or there was no room
   * for all. Called in the task's thread.
   */
  default List<String> unused(ControlCommand command) {
    return List.of();
  }

  /** Why a command that took effect has unused parts. Called in the task's thread. */
  default String shortfall(ControlCommand command) {
    return "";
  }

  /**
   * What became of the corrections of a command that has ended; empty for those that append none.
   * Called once in each subtask, in the task's thread.
   *
   * @param why parts are unused; empty if none are
   */
  default List<CorrectionStatus> corrections(ControlCommand command, String why) {
    return List.of();
  }

  /**
   * Describes what later batches use, for statuses that have no other field for it. Called in the
   * task's thread.
   */
  default String note(ControlCommand command) {
    return "";
  }
}
