package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Latimer;
import io.latimer.operators.device.Device;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import io.latimer.schemas.WordLink;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code latimer run} with a stage that learns, killed and started again: nothing is forgotten. */
@Timeout(400)
class KilledLearnTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Of base and learned pairs, of one of them, of neither; the first has a word of each pair. */
  private static final List<String> TEXTS =
      List.of(
          "the house of a tree",
          "the house",
          "a tree",
          "the house of tree",
          "tree of the tree of the house",
          "the green house of glass",
          "nothing known");

  @TempDir Path folder;
  private Topics topics;
  private Process process;
  private int starts;
  private int sentences;
  private int corrections;

  @BeforeEach
  void start() throws Exception {
    topics = new Topics();
    for (String topic : List.of("in", "out", "control", "fixes")) {
      topics.create("learn-" + topic, 1);
    }
    ParallelText.of("the house ||| das haus ||| 0-0 1-1", "a tree ||| ein baum ||| 0-0 1-1")
        .index(folder, "index.lpx");
    Files.createDirectory(folder.resolve("compacted"));
    Files.writeString(
        folder.resolve("job.yaml"),
        """
        name: killed-learn-%2$s
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [learn-in]}
        stages:
          - phrases: {index: index.lpx, best: 100, device: "%3$s"}
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: learn-out, delivery: exactly-once}
        control:
          bootstrap-servers: "%1$s"
          topic: learn-control
          start: earliest
          learn:
            - stage: phrases
              corrections: learn-fixes
              max-pairs: 40
              compact: {pairs: 25, directory: compacted}
        parallelism: 2
        checkpoints: {interval: 300ms, directory: state}
        """
            .formatted(topics.broker().bootstrapServers(), folder.getFileName(), device()));
    run();
  }

  @AfterEach
  void stop() throws Exception {
    process.destroyForcibly().waitFor();
    topics.close();
  }

  private void run() throws Exception {
    starts++;
    process =
        Jvm.program(
                System.getProperty("java.class.path"),
                Latimer.class.getName(),
                "run",
                "--config",
                folder.resolve("job.yaml").toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(folder.resolve("err" + starts).toFile())
            .start();
  }

  private void killAndRunAgain() throws Exception {
    process.destroyForcibly().waitFor();
    run();
  }

  private void correct(int count) throws Exception {
    for (int i = 0; i < count; i++, corrections++) {
      Correction correction =
          new Correction(
              "c" + corrections,
              Instant.ofEpochMilli(corrections),
              "the house of tree",
              corrections % 2 == 0 ? "das haus vom baum" : "das gebäude vom strauch",
              List.of(
                  new WordLink(0, 0), new WordLink(1, 1), new WordLink(2, 2), new WordLink(3, 3)));
      byte[] value = RecordCodec.of(Correction.class).encode(correction);
      topics.send(List.of(new ProducerRecord<>("learn-fixes", 0, null, value)));
    }
  }

  /** The device that the stage runs on. */
  Device device() {
    return Device.CPU;
  }

  /** The phrase tables of sentences that are sent now; none before them is lost or doubled. */
  private List<SentencePhraseTable> tables() throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (String text : TEXTS) {
      byte[] value = text.getBytes(StandardCharsets.UTF_8);
      records.add(new ProducerRecord<>("learn-in", 0, null, value));
    }
    topics.send(records);
    sentences += records.size();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      List<Translation> received = Received.translations(topics.readAll("learn-out"));
      assertThat(received).hasSizeLessThanOrEqualTo(sentences);
      if (received.size() == sentences) {
        return received.subList(sentences - TEXTS.size(), sentences).stream()
            .map(one -> one.getPhraseTables().get(0))
            .toList();
      }
      String said = Files.readString(folder.resolve("err" + starts));
      assertThat(process.isAlive()).as(said).isTrue();
      assertThat(System.nanoTime()).as(said).isLessThan(end);
      Thread.sleep(50);
    }
  }

  /** How often {@code of} was translated: once in each correction that was learned. */
  private static int count(SentencePhraseTable table) {
    return table.getPhrases().stream()
        .filter(phrase -> phrase.getText().equals("of"))
        .mapToInt(phrase -> phrase.getTranslations().get(0).getCount())
        .sum();
  }

  /** The tables once all corrections are learned, all of them with the same pairs and index. */
  private List<SentencePhraseTable> awaitAll() throws Exception {
    List<SentencePhraseTable> tables = tables();
    while (count(tables.get(0)) < corrections || versions(tables) > 1) {
      tables = tables();
    }
    assertThat(count(tables.get(0))).isEqualTo(corrections);
    return tables;
  }

  private static long versions(List<SentencePhraseTable> tables) {
    return tables.stream()
        .map(table -> table.getIndexId() + " " + table.getLearnedPairs())
        .distinct()
        .count();
  }

  @Test
  void allAnswersAreTheSameAfterAKill() throws Exception {
    correct(5);
    List<SentencePhraseTable> before = awaitAll();
    assertThat(before.get(0).getLearnedPairs()).isEqualTo(5);
    killAndRunAgain();
    assertThat(tables()).isEqualTo(before);

    for (int kill = 0; kill < 3; kill++) { // with commands under way, and a new index file
      correct(4);
      killAndRunAgain();
      correct(4);
      awaitAll();
    }
    String index = before.get(0).getIndexId();
    List<SentencePhraseTable> after = awaitAll();
    while (after.get(0).getIndexId().equals(index)) {
      after = awaitAll();
    }
    assertThat(after.get(0).getLearnedPairs()).isLessThan(corrections);
    killAndRunAgain();
    assertThat(tables()).isEqualTo(after);
  }
}
