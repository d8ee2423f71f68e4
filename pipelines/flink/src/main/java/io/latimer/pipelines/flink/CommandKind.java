package io.latimer.pipelines.flink;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.SwapState;
import java.util.List;

/**
 * A kind of command, as a subtask of a group of stages carries it out: {@link SwapCommands}, {@link
 * AppendCommands} and {@link SetCommands}. {@link GroupCommands} decides with the other subtasks
 * whether a command takes effect; {@link ControlledGatherer} has the kinds and their state, and
 * {@link ControlIntake} checks commands before they get here.
 */
interface CommandKind {
  /** What a command changes, prepared beside the running work. It is either applied or closed. */
  interface Change extends AutoCloseable {
    /** Why the open batch is closed before the change. */
    MicroBatcher.Fill fill();

    /**
     * The change is decided: restored batches that wait for it may begin. In the task's thread,
     * before the open batch is closed, which may have to wait for them.
     */
    default void announce() {}

    /**
     * Lets later batches use it; in the task's thread, while no batch is open.
     *
     * @return closes what they used before, which may take some time; not in the task's thread
     */
    Runnable apply();

    /** Drops it. */
    @Override
    void close();
  }

  /** Whether a command is of this kind, and for this group. */
  boolean isFor(ControlCommand command);

  /** Whether all groups of the job decide together, rather than each by itself. */
  boolean ofAllGroups();

  /** Whether to prepare a command takes memory and time, rather than nothing. */
  default boolean loads() {
    return true;
  }

  /**
   * Prepares a command; in a thread of its own, after those before it were carried out.
   *
   * @throws io.latimer.operators.OperatorException if it cannot be carried out
   */
  Change prepare(ControlCommand command);

  /** Adds what later batches use to the state, so that they do after a restore. */
  void write(SwapState.Builder state);

  /** The stage that a command is for; empty if it is for all. */
  String stage(ControlCommand command);

  /** The index that a command is about; null if there is none. */
  IndexReference reference(ControlCommand command);

  /** What a command asks for, in a few words, without secrets. */
  String what(ControlCommand command);

  /**
   * Ids of what a command brings that later batches do not use, because the command was refused or
   * there was too little room for all; in the task's thread.
   */
  default List<String> unused(ControlCommand command) {
    return List.of();
  }

  /** Why a command that took effect has unused parts; in the task's thread. */
  default String shortfall(ControlCommand command) {
    return "";
  }

  /** What later batches use, for statuses that do not have it elsewhere; in the task's thread. */
  default String note(ControlCommand command) {
    return "";
  }
}
