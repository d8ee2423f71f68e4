package io.latimer.pipelines.flink.state;

import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.source.SourceConfig;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.InitContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a state with which a job would lose records. Checks all of it when the job is built, if
 * it is readable then; otherwise the tasks check their parts, with {@link GroupsGuard}.
 */
public final class RestoredState {
  private static final Logger LOG = LoggerFactory.getLogger(RestoredState.class);

  private static final String GONE =
      "which the job no longer has; the batches would be lost. Give the stage its old name, or stop"
          + " the old job with its source drained first";

  private static final String GROUPED =
      "which now shares the batches of the stage before it; the batches would be lost. Start the"
          + " job with batch.group: false. To group its stages, stop it then with its source"
          + " drained, and start it without that";

  private RestoredState() {}

  /**
   * Checks a state.
   *
   * @param transactional the sinks that write in transactions; others abort none
   * @throws IllegalStateException if the job would lose records with it
   */
  public static void check(
      SavedState state, JobConfig config, StageSteps steps, Set<String> transactional) {
    refuseToDropBatches(state, steps);
    refuseToShareTransactions(state, config, transactional);
  }

  /**
   * Refuses to drop batches in flight, whose records were read but not written. The state of a
   * renamed or removed stage belongs to no operator, and Flink drops it if told to ignore such
   * state.
   */
  private static void refuseToDropBatches(SavedState state, StageSteps steps) {
    Set<String> kept = steps.groups();
    Set<String> grouped = steps.grouped();
    state
        .batchesInFlight()
        .forEach(
            (uid, count) -> {
              if (!kept.contains(uid)) {
                throw new IllegalStateException(
                    state.path()
                        + " has "
                        + count
                        + (count == 1 ? " batch or watermark" : " batches and watermarks")
                        + " in flight of "
                        + uid
                        + ", "
                        + (grouped.contains(uid) ? GROUPED : GONE));
              }
            });
  }

  /**
   * Refuses a state with which two writers would own the same transactional ids. A writer aborts
   * the open transactions of the ids that it owns, except those in its state, which are to be
   * committed. Flink's connector takes the owned ids from the writer's state, else from the
   * subtask's number, and assumes that every subtask had a state; finished subtasks do not. If the
   * parallelism changes, states move to other subtasks, so a writer without a state may own the ids
   * of another and abort what that one is about to commit. The same happens if, after the
   * parallelism was lowered, a subtask finishes and the job restarts.
   */
  private static void refuseToShareTransactions(
      SavedState state, JobConfig config, Set<String> transactional) {
    int parallelism = config.parallelism();
    state
        .writers()
        .forEach(
            (sink, writers) -> {
              if (!transactional.contains(sink)) {
                return;
              }
              if (writers.finished() > 0 && parallelism != writers.parallelism()) {
                throw refused(
                    state,
                    "some subtasks of " + sink + " have finished",
                    writers.parallelism(),
                    parallelism);
              }
              if (parallelism < writers.states() && hasEnd(config.source())) {
                throw refused(
                    state,
                    "the source has an end, and subtasks of " + sink + " finish before it",
                    writers.states(),
                    parallelism);
              }
            });
  }

  /**
   * The number of a checkpoint whose transactions a start without a state may have aborted.
   *
   * @return 0 if there was no such start, as far as this process can read
   */
  public static long suspects(SavedState state, JobConfig config) {
    Optional<CheckpointFolder> folder = CheckpointFolder.of(config);
    try {
      return folder.isPresent() && folder.get().startedWithoutStateSince(new Path(state.path()))
          ? state.id()
          : 0;
    } catch (IOException | RuntimeException e) {
      // the cluster may be able to read what this process cannot
      LOG.warn("It is not known whether {} is older than the job's last start.", state.path(), e);
      return 0;
    }
  }

  /**
   * The same for a checkpoint that the cluster itself has chosen; called in a task.
   *
   * @param folder the job's checkpoint folder, or null if it has none
   * @return 0 if there was no such start, as far as this process can read
   */
  public static long suspects(InitContext context, CheckpointFolder folder) {
    OptionalLong restored = context.getRestoredCheckpointId();
    if (folder == null || restored.isEmpty()) {
      return 0;
    }
    long checkpoint = restored.getAsLong();
    try {
      String run = context.getJobInfo().getJobId().toHexString();
      return folder.startedWithoutStateSince(run, checkpoint) ? checkpoint : 0;
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "It is not known whether checkpoint {} is older than the job's last start.",
          checkpoint,
          e);
      return 0;
    }
  }

  /**
   * Refuses writer states that were moved to this subtask by a change of parallelism: once the
   * subtask that owned their ids has finished and has no state, it would abort their transactions.
   * This is the check of {@link #check}, made with the state of one subtask only.
   *
   * @param sink its name
   * @param states the states of the writer
   * @throws UnrecoverableException if there is one
   */
  public static void refuseMovedTransactions(
      String sink, TaskInfo task, Collection<KafkaWriterState> states) {
    for (KafkaWriterState state : states) {
      int owner = state.getOwnedSubtaskId() % task.getNumberOfParallelSubtasks();
      if (owner != task.getIndexOfThisSubtask()) {
        throw new UnrecoverableException(
            "the checkpoint or savepoint cannot be restored with parallelism "
                + task.getNumberOfParallelSubtasks()
                + ": the source has an end, and sink "
                + sink
                + " has transactions of subtask "
                + state.getOwnedSubtaskId()
                + " in subtask "
                + task.getIndexOfThisSubtask()
                + ". Once subtask "
                + owner
                + " has finished, it would abort them at a restart, and records would be lost. Set"
                + " the parallelism that the job had before");
      }
    }
  }

  /**
   * Allows Flink to drop the state of stages that are in a group now, which is only the job's name
   * and index references, unless other state would be dropped, too.
   */
  public static void leaveGrouped(
      StreamExecutionEnvironment env, SavedState state, StageSteps steps) {
    Set<String> left = new HashSet<>(state.operators());
    env.getStreamGraph(false).getStreamNodes().stream()
        .map(StreamNode::getTransformationUID)
        .forEach(left::remove);
    if (!left.isEmpty() && steps.grouped().containsAll(left)) {
      LOG.info("The state of {}, now in a group, is not needed.", left);
      Configuration settings = new Configuration();
      settings.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
      env.configure(settings);
    }
  }

  /** Whether a source is bounded. */
  public static boolean hasEnd(SourceConfig source) {
    return source instanceof SourceConfig.Kafka kafka
        ? kafka.bounded()
        : source instanceof SourceConfig.Lines
            || (source instanceof SourceConfig.Feed feed && feed.config().hasEnd())
            || (source instanceof SourceConfig.Files files && files.watch().isZero());
  }

  private static IllegalStateException refused(
      SavedState state, String reason, int was, int parallelism) {
    return new IllegalStateException(
        state.path()
            + " cannot be restored with parallelism "
            + parallelism
            + ": "
            + reason
            + ", so that others would abort their transactions, and records would be lost. Set"
            + " parallelism: "
            + was);
  }
}
