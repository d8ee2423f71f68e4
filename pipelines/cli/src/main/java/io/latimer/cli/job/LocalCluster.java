package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Errors;
import io.latimer.cli.command.Logs;
import io.latimer.cli.flinkui.FlinkUi;
import io.latimer.operators.util.ProcessFolder;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.ClientUtils;
import org.apache.flink.client.deployment.executors.PipelineExecutorUtils;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.checkpoint.RestoredCheckpointStats;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.dispatcher.TriggerSavepointMode;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.MiniClusterJobClient;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.runtime.operators.coordination.TaskNotRunningException;
import org.apache.flink.runtime.scheduler.exceptionhistory.ExceptionHistoryEntry;
import org.apache.flink.runtime.scheduler.exceptionhistory.RootExceptionHistoryEntry;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink cluster in this process, with one task manager, for one job. It can start before the job
 * is known, so that both are prepared in parallel.
 */
public final class LocalCluster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);
  private static final int CANCEL_SECONDS = 15;
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int CLOSE_SECONDS = 10;

  /** The options for the addresses on which a cluster's components listen. */
  private static final List<ConfigOption<String>> LOOPBACK =
      List.of(JobManagerOptions.BIND_HOST, TaskManagerOptions.BIND_HOST);

  private final Configuration settings;
  private final Cluster cluster;
  private final ProcessFolder temporary;
  private JobClient submitted;
  private boolean closed;

  private LocalCluster(Configuration settings, Cluster cluster, ProcessFolder temporary) {
    this.temporary = temporary;
    this.settings = settings;
    this.cluster = cluster;
  }

  /** Flink's mini cluster, with access to its gateway and our own REST interface. */
  @SuppressWarnings("try") // its close may be interrupted
  private static final class Cluster extends MiniCluster {
    Cluster(MiniClusterConfiguration configuration) {
      super(configuration);
    }

    CompletableFuture<DispatcherGateway> gateway() {
      return getDispatcherGatewayFuture();
    }

    @Override
    protected DispatcherResourceManagerComponentFactory
        createDispatcherResourceManagerComponentFactory() {
      return FlinkUi.components();
    }
  }

  /**
   * Starts a cluster.
   *
   * @param settings Flink's own
   * @param slots maximum parallelism of an operator
   * @param ui port of Flink's web page, 0 for any free one; empty for none
   */
  public static LocalCluster start(Configuration settings, int slots, OptionalInt ui) {
    Configuration all = new Configuration(settings);
    FlinkUi.apply(ui, all);
    // other machines need no access to a cluster in this process
    for (ConfigOption<String> host : LOOPBACK) {
      if (!all.contains(host)) {
        all.set(host, "localhost");
      }
    }
    // keeps a second checkpoint in case the newest is damaged
    if (!all.contains(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS)) {
      all.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, 2);
    }
    ProcessFolder folder;
    try {
      folder = ProcessFolder.create("latimer-flink");
    } catch (IOException e) {
      throw new CommandException("cannot create a temporary folder: " + e.getMessage(), e);
    }
    Path temporary = folder.path();
    // Flink leaves some temporary files behind: in a separate folder they can be deleted
    if (!all.contains(CoreOptions.TMP_DIRS)) {
      all.set(CoreOptions.TMP_DIRS, temporary.toString());
    }
    if (!all.contains(WebOptions.UPLOAD_DIR)) {
      all.set(WebOptions.UPLOAD_DIR, temporary.toString());
    }
    // In memory, Flink's default, a checkpoint of a task is limited to 5 MiB
    if (!all.contains(CheckpointingOptions.CHECKPOINTS_DIRECTORY)) {
      all.set(
          CheckpointingOptions.CHECKPOINTS_DIRECTORY,
          CheckpointFolder.localUri(temporary.resolve("checkpoints")));
    }
    Cluster cluster =
        new Cluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(all)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                .build());
    try {
      cluster.start();
      return new LocalCluster(all, cluster, folder);
    } catch (Exception e) {
      folder.close();
      String uiTaken =
          ui.isPresent() && ExceptionUtils.findThrowable(e, BindException.class).isPresent()
              ? "; choose another port for Flink's page with --flink-ui=PORT, or any free one with"
                  + " --flink-ui=0"
              : "";
      throw new CommandException(
          "the Flink cluster failed to start: " + rootMessage(e) + uiTaken, e);
    }
  }

  /** The URI of Flink's web page; there must be one. */
  public URI ui() {
    return cluster.getRestAddress().join();
  }

  /** Submits the job of an environment and returns once it is accepted. */
  public JobClient submit(StreamExecutionEnvironment environment) throws InterruptedException {
    return submit(environment, new Configuration());
  }

  /**
   * Submits the job of an environment and returns once it is accepted.
   *
   * @param more Flink's settings for the submission, such as what state to start from
   */
  JobClient submit(StreamExecutionEnvironment environment, Configuration more)
      throws InterruptedException {
    Configuration submission = new Configuration(settings);
    submission.addAll(more);
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try {
      StreamGraph graph =
          PipelineExecutorUtils.getStreamGraph(environment.getStreamGraph(), submission);
      graph.serializeUserDefinedInstances();
      JobID job = cluster.submitJob(graph).get().getJobID();
      ClientUtils.waitUntilJobInitializationFinished(
          () -> cluster.getJobStatus(job).get(), () -> cluster.requestJobResult(job).get(), loader);
      submitted =
          new MiniClusterJobClient(
              job, cluster, loader, MiniClusterJobClient.JobFinalizationBehavior.NOTHING);
      return submitted;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw new CommandException("the job failed to start: " + rootMessage(e), e);
    }
  }

  /** The latest failures of the job, oldest first; empty while unknown. */
  List<ErrorInfo> failures() throws InterruptedException {
    List<ErrorInfo> failures = new ArrayList<>();
    try {
      cluster
          .gateway()
          .thenCompose(gateway -> gateway.requestExecutionGraphInfo(submitted.getJobID(), ANSWER))
          .get()
          .getExceptionHistory()
          .forEach(failure -> failures.add(cause(failure)));
    } catch (ExecutionException e) {
      LOG.debug("The job's failures cannot be listed now.", e);
    }
    failures.sort(Comparator.comparingLong(ErrorInfo::getTimestamp));
    return failures;
  }

  /**
   * The most informative failure: a message to a task that has just failed fails, too, and may be
   * reported first.
   */
  private static ErrorInfo cause(RootExceptionHistoryEntry failure) {
    String name = TaskNotRunningException.class.getName();
    if (failure.getExceptionAsString().contains(name)) {
      for (ExceptionHistoryEntry other : failure.getConcurrentExceptions()) {
        if (!other.getExceptionAsString().contains(name)) {
          return new ErrorInfo(other.getException(), failure.getTimestamp());
        }
      }
    }
    return failure;
  }

  /**
   * The savepoint with which the job was stopped. Flink reports such a job as finished, too.
   *
   * @return empty if the job reached its end
   */
  Optional<String> stoppedWith() throws InterruptedException {
    CheckpointStatsSnapshot checkpoints;
    try {
      checkpoints =
          cluster
              .gateway()
              .thenCompose(
                  gateway -> gateway.requestExecutionGraphInfo(submitted.getJobID(), ANSWER))
              .get()
              .getArchivedExecutionGraph()
              .getCheckpointStatsSnapshot();
    } catch (ExecutionException e) {
      throw new CommandException(
          "the job has ended, but its cluster does not say how: " + rootMessage(e), e);
    }
    CompletedCheckpointStats savepoint =
        checkpoints == null ? null : checkpoints.getHistory().getLatestSavepoint();
    if (savepoint == null || !savepoint.getProperties().isSynchronous()) {
      return Optional.empty();
    }
    // after a failed stop, the job went on from that savepoint or with later checkpoints
    long id = savepoint.getCheckpointId();
    CompletedCheckpointStats last = checkpoints.getHistory().getLatestCompletedCheckpoint();
    RestoredCheckpointStats restored = checkpoints.getLatestRestoredCheckpoint();
    return (last != null && last.getCheckpointId() > id)
            || (restored != null && restored.getCheckpointId() >= id)
        ? Optional.empty()
        : Optional.of(savepoint.getExternalPath());
  }

  /** The location for a savepoint that nothing will resume from. */
  String temporaryUri() {
    return CheckpointFolder.localUri(temporary.path().resolve("savepoints"));
  }

  /**
   * Stops the job with a savepoint; everything written before it is then committed.
   *
   * @param folder URI of the folder for it
   * @param drain whether the job processes what it has read, as if its source had ended, which
   *     closes all windows; otherwise batches in flight are in the savepoint
   * @return the savepoint's path, once the job has ended
   */
  CompletableFuture<String> stop(String folder, boolean drain, Duration limit) {
    return cluster
        .gateway()
        .thenCompose(
            gateway ->
                gateway.stopWithSavepointAndGetLocation(
                    submitted.getJobID(),
                    folder,
                    SavepointFormatType.CANONICAL,
                    drain
                        ? TriggerSavepointMode.TERMINATE_WITH_SAVEPOINT
                        : TriggerSavepointMode.SUSPEND_WITH_SAVEPOINT,
                    limit))
        .thenCombine(cluster.requestJobResult(submitted.getJobID()), (path, result) -> path);
  }

  /** Cancels the job if it still runs, and ends the cluster. Closing twice is safe. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      cancel();
      cluster.closeAsync().get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      throw new CommandException(
          "the Flink cluster did not stop within "
              + CLOSE_SECONDS
              + " s, and ends with this process; the log says more: "
              + Logs.file(),
          e);
    } catch (ExecutionException e) {
      throw new CommandException("the Flink cluster failed to stop: " + rootMessage(e), e);
    } finally {
      temporary.close();
    }
  }

  /** Cancels the job; a cluster whose job has ended shuts down cleanly and faster. */
  private void cancel() throws InterruptedException {
    if (submitted == null) {
      return;
    }
    try {
      if (!submitted.getJobStatus().get().isGloballyTerminalState()) {
        submitted.cancel().get(CANCEL_SECONDS, TimeUnit.SECONDS);
        cluster.requestJobResult(submitted.getJobID()).get(CANCEL_SECONDS, TimeUnit.SECONDS);
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("The job was not cancelled before its cluster was stopped.", e);
    }
  }

  /**
   * The message of the root cause, because Flink wraps errors many times. If our own code has
   * described a library's error, with the address or the file, its message is used.
   */
  public static String rootMessage(Throwable error) {
    Throwable root = error;
    while (!Errors.isOurs(root) && root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return Errors.sentence(root);
  }
}
