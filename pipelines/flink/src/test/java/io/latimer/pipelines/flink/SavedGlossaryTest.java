package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.glossary.index.GlossaryBuilder;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.text.terms.Term;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.Translation;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
 * Savepoints of released versions whose job had swapped a glossary and learned a term, see {@link
 * SavedStateTest}: the job goes on with both.
 */
class SavedGlossaryTest extends SavedCommands {
  private static final Path FIRST = SavedStateTest.INDEXES.resolve("glossary.ltx");
  private static final Path SECOND = SavedStateTest.INDEXES.resolve("glossary-2.ltx");
  private static final String GLOSSARY = "translate.glossary";

  SavedGlossaryTest() {
    super("glossary", "translated");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void aSwappedGlossaryAndItsTermsAreRestored(String version) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        KafkaConsumer<byte[], byte[]> translated = consumer("translated")) {
      JobConfig config = job(server.getLocalPort());
      JobClient job = restore(version, config);
      try (Socket socket = server.accept()) {
        String text = translation(socket, translated);
        assertThat(text).contains("Empfang").contains("Fahrstuhl");
        append("Lift"); // and learns more
        while (!text.contains("Lift")) {
          text = translation(socket, translated);
        }
        assertThat(text).contains("Empfang");
        end(job);
      }
    }
  }

  /** Writes the savepoint of this version anew. */
  @Test
  @EnabledIfSystemProperty(named = "latimer.write-savepoints", matches = "true")
  void write() throws Exception {
    glossary(FIRST, "Rezeption");
    glossary(SECOND, "Empfang");
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        KafkaConsumer<byte[], byte[]> translated = consumer("translated")) {
      JobConfig config = job(server.getLocalPort());
      JobClient job = CLUSTER.start(config, stages(config));
      try (Socket socket = server.accept()) {
        assertThat(translation(socket, translated)).contains("Rezeption").contains("Aufzug");
        IndexRef second = IndexRefs.of(SECOND);
        IndexRef moved =
            new IndexRef(
                second.kind(),
                URI.create("file:/models/glossary-2.ltx"),
                second.sha256(),
                second.version());
        send(
            command("swap")
                .setSwap(new StageIndexVersion(GLOSSARY, IndexState.toAvro(moved), 0L, 0L))
                .build());
        append("Fahrstuhl");
        while (!translation(socket, translated).contains("Fahrstuhl")) {
          // until it has learned the term, after the swap
        }
        keep(job);
      }
    }
  }

  private static void glossary(Path file, String frontDesk) {
    GlossaryBuilder glossary =
        new GlossaryBuilder("en", "de", GlossaryBuilder.Repeated.REFUSED, place -> "term " + place);
    glossary.add(Term.of(List.of("front desk"), List.of(frontDesk)), 1);
    glossary.add(Term.of(List.of("lift"), List.of("Aufzug")), 2);
    glossary.write(file, "");
  }

  private static ControlCommand.Builder command(String id) {
    return ControlCommand.newBuilder().setId(id).setJob("saved").setTime(Instant.EPOCH);
  }

  private void append(String lift) throws Exception {
    Correction term = new Correction(lift, Instant.EPOCH, "lift", lift, null);
    send(command("append " + lift).setAppendTo(GLOSSARY).setAppend(List.of(term)).build());
  }

  /** The translation of a sentence that is sent now. */
  private static String translation(Socket socket, KafkaConsumer<byte[], byte[]> translated)
      throws Exception {
    String text = "The lift is next to the front desk.\n";
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    while (true) {
      for (ConsumerRecord<byte[], byte[]> record : translated.poll(Duration.ofMillis(100))) {
        return RecordCodec.of(Translation.class).decode(record.value()).getText();
      }
    }
  }

  private JobConfig job(int port) {
    Path model = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    String yaml =
        """
        name: saved
        source: {socket: {host: localhost, port: %1$d}}
        stages: [translate: {model: "%2$s", beam: 1, glossary: "%3$s"}]
        sinks:
          - kafka: {bootstrap-servers: "%4$s", topic: translated, delivery: at-least-once}
        control:
          bootstrap-servers: "%4$s"
          topic: commands
          start: earliest
          learn: [{stage: translate.glossary}]
        checkpoints: {interval: 1h}
        restarts: {attempts: 0}
        """
            .formatted(port, model.toAbsolutePath(), FIRST, broker.bootstrapServers());
    return JobConfigReader.read(yaml, "job.yaml", folder);
  }
}
