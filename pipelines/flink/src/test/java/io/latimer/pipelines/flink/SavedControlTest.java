package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.apache.flink.core.execution.JobClient;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Savepoints of released versions whose job had carried out commands, see {@link SavedStateTest}:
 * the job goes on with the index to which it was swapped and the limits that were set.
 */
class SavedControlTest extends SavedCommands {
  private static final Path SECOND = SavedStateTest.INDEXES.resolve("score-2.llm");

  SavedControlTest() {
    super("control", "statuses", "scored");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void whatCommandsHaveDoneIsRestored(String version) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JobConfig config = job(server.getLocalPort());
      JobClient job = restore(version, config);
      try (Socket socket = server.accept()) {
        say(socket);
        String id =
            RecordCodec.of(Translation.class)
                .decode(read("scored"))
                .getLanguageScores()
                .get(0)
                .getModelId();
        try (IndexFile second = IndexFile.open(SECOND)) {
          assertThat(id).isEqualTo(second.contentId());
        }
        command(new BatchLimits(null, 70, null));
        assertThat(awaitEnd())
            .isEqualTo("batch.max-records=5, batch.max-tokens=70, batch.max-wait=20ms");
        end(job);
      }
    }
  }

  /** Writes the savepoint of this version anew. */
  @Test
  @EnabledIfSystemProperty(named = "latimer.write-savepoints", matches = "true")
  void write() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JobConfig config = job(server.getLocalPort());
      JobClient job = CLUSTER.start(config, stages(config));
      try (Socket socket = server.accept()) {
        say(socket);
        IndexRef second = IndexRefs.of(SECOND);
        IndexReference reference =
            new IndexReference(
                second.kind(), "file:/models/score-2.llm", second.sha256(), second.version());
        send(
            ControlCommand.newBuilder()
                .setId("swap")
                .setJob("saved")
                .setTime(Instant.EPOCH)
                .setSwap(new StageIndexVersion("score", reference, 0L, 0L))
                .build());
        command(new BatchLimits(5, null, null));
        assertThat(awaitEnd()).startsWith("batch.max-records=5, ");
        keep(job);
      }
    }
  }

  private static void say(Socket socket) throws IOException {
    socket.getOutputStream().write("good morning\n".getBytes(StandardCharsets.UTF_8));
  }

  private void command(BatchLimits limits) throws Exception {
    send(
        ControlCommand.newBuilder()
            .setId("set " + limits.getMaxTokens())
            .setJob("saved")
            .setTime(Instant.EPOCH)
            .setSet(limits)
            .build());
  }

  /** The message of the last status of the limits. */
  private String awaitEnd() throws Exception {
    RecordCodec<ControlStatus> codec = RecordCodec.of(ControlStatus.class);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer("statuses")) {
      while (true) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          ControlStatus status = codec.decode(record.value());
          assertThat(status.getState()).as(status.getMessage()).isNotEqualTo("refused");
          if (status.getCommand().startsWith("set ")
              && status.getSubtask() < 0
              && status.getState().equals("in-use")) {
            return status.getMessage();
          }
        }
      }
    }
  }

  /** The first record of a topic. */
  private byte[] read(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
      while (true) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          return record.value();
        }
      }
    }
  }

  private JobConfig job(int port) {
    String yaml =
        """
        name: saved
        source: {socket: {host: localhost, port: %1$d}}
        stages: [score: {model: "%2$s"}]
        sinks:
          - kafka: {bootstrap-servers: "%3$s", topic: scored, delivery: at-least-once}
        control:
          bootstrap-servers: "%3$s"
          topic: commands
          start: earliest
          status:
            - kafka: {bootstrap-servers: "%3$s", topic: statuses, delivery: at-least-once}
        checkpoints: {interval: 1h}
        restarts: {attempts: 0}
        """
            .formatted(
                port, SavedStateTest.INDEXES.resolve("score.llm"), broker.bootstrapServers());
    return JobConfigReader.read(yaml, "job.yaml", folder);
  }
}
