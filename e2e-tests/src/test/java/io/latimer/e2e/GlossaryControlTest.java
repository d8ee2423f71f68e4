package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.glossary.index.GlossaryBuilder;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.text.terms.Term;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The glossary of a running job is swapped, and terms are appended to it, by {@code control}. */
@Timeout(300)
class GlossaryControlTest {
  private static final int PARTITIONS = 2;
  private static final String GLOSSARY = "translate.glossary";
  private static final String SENTENCE = "The front desk is open.";

  @TempDir Path folder;
  private Flow flow;
  private JobConfig config;
  private Path first;
  private Path second;
  private Path file;
  private int sent;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, PARTITIONS, 1);
    flow.topic("control", 1);
    flow.topic("status", 1);
    first = glossary("first.ltx", "Rezeption");
    second = glossary("second.ltx", "Empfang");
    config =
        flow.job(
            Flow.translate(Flow.MODEL, ", beam: 1, glossary: \"" + first + "\""),
            PARTITIONS,
            """
            control:
              bootstrap-servers: "%1$s"
              topic: control
              start: earliest
              status:
                - kafka: {bootstrap-servers: "%1$s", topic: status, delivery: at-least-once}
              learn:
                - {stage: translate.glossary, max-pairs: 3}
            """
                .formatted(flow.broker().bootstrapServers()));
    file = Files.writeString(folder.resolve("job.yaml"), config.toYaml());
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  private Path glossary(String name, String frontDesk) {
    GlossaryBuilder glossary =
        new GlossaryBuilder("en", "de", GlossaryBuilder.Repeated.REFUSED, place -> "term " + place);
    glossary.add(Term.of(List.of("front desk"), List.of(frontDesk)), 1);
    Path file = folder.resolve(name);
    glossary.write(file, name);
    return file;
  }

  private CommandRun control(String input, String... command) {
    List<String> args = new ArrayList<>(List.of("control", "--config", file.toString()));
    args.addAll(List.of(command));
    return CommandRun.of(input, args.toArray(String[]::new));
  }

  private void append(String terms, String answer) {
    CommandRun done = control(terms, "append", GLOSSARY, "--terms", "-");
    assertThat(done.out() + done.err()).contains(answer);
  }

  private void swap(Path glossary, String... options) {
    List<String> args = new ArrayList<>(List.of("swap", GLOSSARY + "=" + glossary));
    args.addAll(List.of(options));
    CommandRun done = control("", args.toArray(String[]::new));
    assertThat(done.err()).isEmpty();
    assertThat(done.out())
        .startsWith("job " + config.name() + ": stage " + GLOSSARY + " uses " + glossary.toUri());
  }

  /** Sends the sentence to each partition; returns its translations, one of each subtask. */
  private List<Translation> translate() throws Exception {
    int before = sent;
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      records.add(new ProducerRecord<>("in", partition, bytes("" + sent++), bytes(SENTENCE)));
    }
    flow.sendAll(records);
    flow.await("out", sent);
    List<ConsumerRecord<byte[], byte[]>> received = flow.readAll("out");
    assertThat(received).hasSize(sent);
    received.removeIf(
        one -> Integer.parseInt(new String(one.key(), StandardCharsets.UTF_8)) < before);
    return Received.translations(received);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void assertTranslated(String frontDesk, Path glossary) throws Exception {
    String id;
    try (IndexFile index = IndexFile.open(glossary)) {
      id = index.contentId();
    }
    assertThat(translate())
        .hasSize(PARTITIONS)
        .allSatisfy(
            one -> {
              assertThat(one.getText()).contains(frontDesk);
              assertThat(one.getGlossaryId()).isEqualTo(id);
              assertThat(one.getGlossaryVersion()).isEqualTo(glossary.getFileName().toString());
            });
  }

  @Test
  void swapsAndTermsActInAllSubtasksAndSurviveAKillAndARestore() throws Exception {
    JobID job = flow.start(config);
    assertTranslated("Rezeption", first);
    swap(second);
    assertTranslated("Empfang", second);
    append("front desk\tPortier\n", "stage translate.glossary uses learned terms from 0 to 1\n");
    assertTranslated("Portier", second);
    append("front desk\tFoyer\nlift\tAufzug\n", "uses learned terms from 0 to 3\n");
    assertTranslated("Foyer", second);
    append("key\tSchlüssel\n", "stage translate.glossary has no room for more: it has 3 learned");

    flow.replaceTaskManagers();
    assertTranslated("Foyer", second);
    assertThat(flow.restarts(job)).isPositive();

    JobID restored = flow.restore(flow.stop(job), config);
    assertTranslated("Foyer", second);
    swap(first, "--covers", "2"); // the term that is left is not about front desks
    assertTranslated("Rezeption", first);
    flow.restore(flow.stop(restored), config);
    assertTranslated("Rezeption", first);
  }

  @Test
  void aGlossaryThatCannotBeLoadedLeavesTheOldOneInUse() throws Exception {
    flow.start(config);
    assertTranslated("Rezeption", first);
    CommandRun model = control("", "swap", GLOSSARY + "=" + Flow.MODEL);
    assertThat(model.err()).contains("expected an index of kind glossary, found translation-model");
    Path moved = Files.copy(second, folder.resolve("moved.ltx"));
    String sha256;
    try (IndexFile index = IndexFile.open(second)) {
      sha256 = index.checkedSha256();
    }
    Files.write(moved, new byte[] {1}, StandardOpenOption.APPEND);
    CommandRun damaged = control("", "swap", GLOSSARY + "=" + moved.toUri(), "--sha256", sha256);
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).contains("moved.ltx");
    assertTranslated("Rezeption", first);
  }
}
