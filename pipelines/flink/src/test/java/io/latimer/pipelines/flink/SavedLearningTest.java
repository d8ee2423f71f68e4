package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import io.latimer.schemas.WordLink;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.flink.core.execution.JobClient;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Savepoints of released versions whose job had learned sentence pairs, see {@link SavedStateTest}:
 * the job goes on with these pairs.
 */
class SavedLearningTest extends SavedCommands {

  SavedLearningTest() {
    super("learning", "found");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void whatWasLearnedIsRestored(String version) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        KafkaConsumer<byte[], byte[]> found = consumer("found")) {
      JobConfig config = job(server.getLocalPort());
      JobClient job = restore(version, config);
      try (Socket socket = server.accept()) {
        SentencePhraseTable table = table(socket, found);
        assertThat(table.getLearnedPairs()).isEqualTo(2);
        assertThat(corrections(table)).containsExactly("two");
        append("three"); // and learns more
        while (table.getLearnedPairs() < 3) {
          table = table(socket, found);
        }
        assertThat(corrections(table)).containsExactly("three", "two");
        end(job);
      }
    }
  }

  /** Writes the savepoint of this version anew. */
  @Test
  @EnabledIfSystemProperty(named = "latimer.write-savepoints", matches = "true")
  void write() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        KafkaConsumer<byte[], byte[]> found = consumer("found")) {
      JobConfig config = job(server.getLocalPort());
      JobClient job = CLUSTER.start(config, stages(config));
      try (Socket socket = server.accept()) {
        append("one");
        append("two");
        while (table(socket, found).getLearnedPairs() < 2) {
          // until it has learned them
        }
        keep(job);
      }
    }
  }

  /** The corrections of the translation of the last word. */
  private static List<String> corrections(SentencePhraseTable table) {
    return table.getPhrases().stream()
        .filter(phrase -> phrase.getText().equals("gazebo"))
        .flatMap(phrase -> phrase.getTranslations().get(0).getCorrections().stream())
        .map(LearnedFrom::getId)
        .toList();
  }

  /** The phrases of a sentence that is sent now. */
  private static SentencePhraseTable table(Socket socket, KafkaConsumer<byte[], byte[]> found)
      throws Exception {
    socket.getOutputStream().write("the gazebo\n".getBytes(StandardCharsets.UTF_8));
    while (true) {
      for (ConsumerRecord<byte[], byte[]> record : found.poll(Duration.ofMillis(100))) {
        return RecordCodec.of(Translation.class).decode(record.value()).getPhraseTables().get(0);
      }
    }
  }

  private void append(String id) throws Exception {
    boolean last = !id.equals("one");
    Correction correction =
        new Correction(
            id,
            Instant.EPOCH,
            last ? "the gazebo" : "the house",
            last ? "die laube" : "das haus",
            List.of(new WordLink(0, 0), new WordLink(1, 1)));
    ControlCommand command =
        ControlCommand.newBuilder()
            .setId("append " + id)
            .setJob("saved")
            .setTime(Instant.EPOCH)
            .setAppendTo("phrases")
            .setAppend(List.of(correction))
            .build();
    send(command);
  }

  private JobConfig job(int port) {
    String yaml =
        """
        name: saved
        source: {socket: {host: localhost, port: %1$d}}
        stages: [phrases: {index: "%2$s"}]
        sinks:
          - kafka: {bootstrap-servers: "%3$s", topic: found, delivery: at-least-once}
        control:
          bootstrap-servers: "%3$s"
          topic: commands
          start: earliest
          learn: [{stage: phrases}]
        checkpoints: {interval: 1h}
        restarts: {attempts: 0}
        """
            .formatted(
                port, SavedStateTest.INDEXES.resolve("phrases.lpx"), broker.bootstrapServers());
    return JobConfigReader.read(yaml, "job.yaml", folder);
  }
}
