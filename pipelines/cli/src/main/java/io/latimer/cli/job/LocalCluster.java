package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Errors;
import io.latimer.cli.command.Logs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.ClientUtils;
import org.apache.flink.client.deployment.executors.PipelineExecutorUtils;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.MiniClusterJobClient;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink cluster in this process, with one task manager, for one job. It can start before the job
 * is known, so that both are prepared in parallel.
 */
public final class LocalCluster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);
  private static final int CANCEL_SECONDS = 15;
  private static final int CLOSE_SECONDS = 10;

  private final Configuration settings;
  private final MiniCluster cluster;
  private final Path temporary;
  private JobClient submitted;
  private boolean closed;

  private LocalCluster(Configuration settings, MiniCluster cluster, Path temporary) {
    this.temporary = temporary;
    this.settings = settings;
    this.cluster = cluster;
  }

  /**
   * Starts a cluster.
   *
   * @param settings Flink's own; the web page uses any free port unless they give one
   * @param slots maximum parallelism of an operator
   */
  public static LocalCluster start(Configuration settings, int slots) {
    Configuration all = new Configuration(settings);
    if (!all.contains(RestOptions.PORT) && !all.contains(RestOptions.BIND_PORT)) {
      all.set(RestOptions.BIND_PORT, "0");
    }
    if (!all.contains(RestOptions.BIND_ADDRESS)) {
      all.set(RestOptions.BIND_ADDRESS, "localhost");
    }
    Path temporary;
    try {
      temporary = Files.createTempDirectory("latimer-flink-");
    } catch (IOException e) {
      throw new CommandException("cannot create a temporary folder: " + e.getMessage(), e);
    }
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
          temporary.resolve("checkpoints").toUri().toString());
    }
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(all)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                .build());
    try {
      cluster.start();
      return new LocalCluster(all, cluster, temporary);
    } catch (Exception e) {
      FileUtils.deleteDirectoryQuietly(temporary.toFile());
      throw new CommandException("the Flink cluster failed to start: " + rootMessage(e), e);
    }
  }

  /** The address of its REST interface and, if it has one, its web page. */
  public URI address() {
    return cluster.getRestAddress().join();
  }

  /** Submits the job of an environment and returns once it is accepted. */
  public JobClient submit(StreamExecutionEnvironment environment) throws InterruptedException {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try {
      StreamGraph graph =
          PipelineExecutorUtils.getStreamGraph(
              environment.getStreamGraph(), new Configuration(settings));
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

  /** Ends the job if it still runs, and the cluster. Closing twice is safe. */
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
      FileUtils.deleteDirectoryQuietly(temporary.toFile());
    }
  }

  /** A job that ends before its cluster shuts down cleanly, and faster. */
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
