package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A state that is not known when the job is built, and of which Flink drops what the job does not
 * have: so does a cluster that chooses the checkpoint itself, such as for last-state.
 */
@Timeout(240)
class LastStateTest {
  private static final List<String> LINES = Jobs.numbered(5);

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  private JobConfig job(int port, String stages, boolean group) {
    return JobConfigReader.read(
        """
        name: last
        source: {socket: {host: localhost, port: %d}}
        batch: {max-records: 1, in-flight: 8, group: %s}
        stages: [%s]
        sinks: [files: {path: out, format: text}]
        checkpoints: {interval: 1h}
        restarts: {attempts: 0}
        """
            .formatted(port, group, stages),
        "job.yaml",
        folder);
  }

  /** The last stage holds a batch. */
  private static Stage[] stages(JobConfig config) {
    List<Stage> stages = config.newStages();
    int last = stages.size() - 1;
    Stage[] held = stages.toArray(Stage[]::new);
    held[last] = new HeldStage((BatchStage) stages.get(last), true);
    return held;
  }

  /** A state with batches in flight in the last stage, each stage with batches of its own. */
  private String state(String stages) throws Exception {
    HeldStage.reset(1);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JobConfig config = job(server.getLocalPort(), stages, false);
      JobClient job = CLUSTER.start(config, stages(config));
      try (Socket socket = server.accept()) {
        String text = String.join("\n", LINES) + "\n";
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        CLUSTER.awaitRunning(job.getJobID());
        HeldStage.awaitBatch();
        int gathered = LINES.size() * config.stages().size();
        while (CLUSTER.counter(job.getJobID(), "batches") < gathered) {
          TimeUnit.MILLISECONDS.sleep(20); // what is not in the state cannot be read again
        }
        String state =
            job.triggerSavepoint(
                    folder.resolve("state").toUri().toString(), SavepointFormatType.NATIVE)
                .get();
        job.cancel().get();
        HeldStage.goOn();
        CLUSTER.awaitEnd(job.getJobID());
        return state;
      }
    }
  }

  /** Returns the message of its failure; empty if it came to its end. */
  private String restore(String state, String stages, boolean group) throws Exception {
    HeldStage.reset(0);
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Thread end = new Thread(() -> acceptAndClose(server)); // nothing more to read
    end.start();
    try {
      JobConfig config = job(server.getLocalPort(), stages, group);
      StreamExecutionEnvironment env = CLUSTER.environment(config, stages(config));
      env.configure( // after the job was built
          Configuration.fromMap(
              Map.of(
                  StateRecoveryOptions.SAVEPOINT_PATH.key(),
                  state,
                  StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE.key(),
                  "true")));
      env.executeAsync().getJobExecutionResult().get();
      return "";
    } catch (ExecutionException e) {
      return ExceptionUtils.stringifyException(e);
    } finally {
      server.close();
      end.join();
    }
  }

  private static void acceptAndClose(ServerSocket server) {
    try {
      server.accept().close();
    } catch (IOException e) {
      // it was closed: the job did not run
    }
  }

  @Test
  void batchesOfARenamedStageAreNotDropped() throws Exception {
    String state = state("identity: {name: old}");
    assertThat(restore(state, "identity: {name: new}", false))
        .contains("may have batches in flight of stage-old, which the job no longer has");
    assertThat(restore(state, "identity: {name: old}", false)).isEmpty();
    assertThat(Jobs.lines(folder.resolve("out"))).hasSize(LINES.size());
  }

  @Test
  void batchesOfAStageThatIsInAGroupNowAreNotDropped() throws Exception {
    String two = "identity: {name: first}, identity: {name: second}";
    String state = state(two);
    assertThat(restore(state, two, true))
        .contains("may have batches in flight of stage-second, which the job no longer has");
    assertThat(restore(state, two, false)).isEmpty();
    assertThat(Jobs.lines(folder.resolve("out"))).hasSize(LINES.size());
  }
}
