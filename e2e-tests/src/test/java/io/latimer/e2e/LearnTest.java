package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import io.latimer.schemas.WordLink;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.api.common.JobID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Corrections on a topic that the next sentences' phrase tables have. */
@Timeout(300)
class LearnTest {
  private static final int PARTITIONS = 2;

  private static final ParallelText TEXT =
      ParallelText.of(
          "the house ||| das haus ||| 0-0 1-1",
          "the house ||| das haus ||| 0-0 1-1",
          "the small house ||| das kleine haus ||| 0-0 1-1 2-2",
          "a tree ||| ein baum ||| 0-0 1-1",
          "the tree ||| der baum ||| 0-0 1-1");

  /** Of base and learned pairs, of one of them, of neither. */
  private static final List<String> TEXTS =
      List.of(
          "the house of a tree",
          "the house",
          "a small tree",
          "the house of tree",
          "tree of the tree of the small house",
          "nothing known");

  @TempDir Path folder;
  private Flow flow;
  private int sent;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, PARTITIONS, PARTITIONS);
    for (String topic : List.of("control", "status", "fixes")) {
      flow.topic(topic, 1);
    }
    TEXT.index(folder, "index.lpx");
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /** The device that the stage runs on. */
  Device device() {
    return Device.CPU;
  }

  private JobConfig job(int parallelism, String limits) {
    return flow.job(
        "phrases: {index: \"%s\", best: 100, device: \"%s\"}"
            .formatted(folder.resolve("index.lpx"), device()),
        parallelism,
        """
        control:
          bootstrap-servers: "%1$s"
          topic: control
          start: earliest
          status:
            - kafka: {bootstrap-servers: "%1$s", topic: status, delivery: at-least-once}
          learn:
            - {stage: phrases, corrections: fixes%2$s}
        """
            .formatted(flow.broker().bootstrapServers(), limits));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Sends a correction; links such as {@code 0-0 1-1}, or null. */
  private void correct(String id, String source, String target, String links) throws Exception {
    List<WordLink> alignment =
        links == null
            ? null
            : Arrays.stream(links.split(" ", -1))
                .map(link -> link.split("-", -1))
                .map(link -> new WordLink(Integer.parseInt(link[0]), Integer.parseInt(link[1])))
                .toList();
    Correction correction =
        new Correction(id, Instant.ofEpochMilli(1_000), source, target, alignment);
    byte[] value = RecordCodec.of(Correction.class).encode(correction);
    flow.send(new ProducerRecord<>("fixes", 0, bytes(id), value));
  }

  /** Sends a text to each partition. */
  private void send(String text) throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      records.add(
          new ProducerRecord<>("in", partition, bytes(partition + "-" + sent), bytes(text)));
    }
    flow.sendAll(records);
    sent++;
  }

  /** All that was sent, in the order of each partition; none is lost and none is doubled. */
  private List<ConsumerRecord<byte[], byte[]>> records() throws Exception {
    flow.await("out", PARTITIONS * sent);
    List<ConsumerRecord<byte[], byte[]>> records = flow.readAll("out");
    assertThat(records).hasSize(PARTITIONS * sent);
    return records;
  }

  private List<Translation> received() throws Exception {
    return Received.translations(records());
  }

  /** The tables of the text that was sent last, one for each partition. */
  private List<SentencePhraseTable> newest() throws Exception {
    String number = "-" + (sent - 1);
    List<ConsumerRecord<byte[], byte[]>> newest =
        records().stream()
            .filter(one -> new String(one.key(), StandardCharsets.UTF_8).endsWith(number))
            .toList();
    assertThat(newest).hasSize(PARTITIONS);
    return Received.translations(newest).stream().map(one -> one.getPhraseTables().get(0)).toList();
  }

  /** Sends a text until the newest table of it in each partition is as wanted; returns one. */
  private SentencePhraseTable await(String text, Predicate<SentencePhraseTable> wanted)
      throws Exception {
    while (true) {
      send(text);
      List<SentencePhraseTable> tables = newest();
      if (tables.stream().allMatch(wanted)) {
        return tables.get(0);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private SentencePhraseTable awaitPairs(String text, long pairs) throws Exception {
    return await(text, table -> table.getLearnedPairs() == pairs);
  }

  /** The tables of several sentences, all made with so many pairs. */
  private List<SentencePhraseTable> tables(long pairs) throws Exception {
    List<SentencePhraseTable> tables = new ArrayList<>();
    for (String text : TEXTS) {
      tables.add(awaitPairs(text, pairs));
    }
    return tables;
  }

  private static PhraseTranslation find(SentencePhraseTable table, String source, String target) {
    for (SentencePhrase phrase : table.getPhrases()) {
      for (PhraseTranslation one : phrase.getTranslations()) {
        if (phrase.getText().equals(source) && one.getText().equals(target)) {
          return one;
        }
      }
    }
    throw new AssertionError("no " + source + " -> " + target + " in " + table);
  }

  private static List<String> ids(PhraseTranslation one) {
    return one.getCorrections().stream().map(LearnedFrom::getId).toList();
  }

  /** What a table says, apart from where it comes from. */
  private static List<String> answers(SentencePhraseTable table) {
    List<String> answers = new ArrayList<>();
    for (SentencePhrase phrase : table.getPhrases()) {
      answers.add(phrase.getText() + " " + phrase.getOccurrences() + " " + phrase.getExtractions());
      phrase.getTranslations().stream()
          .map(
              one ->
                  one.getText()
                      + " "
                      + one.getCount()
                      + " "
                      + one.getProbability()
                      + " "
                      + one.getLexicalSourceGivenTarget()
                      + " "
                      + one.getLexicalTargetGivenSource())
          .sorted()
          .forEach(answers::add);
    }
    return answers;
  }

  private List<ControlStatus> statuses() throws Exception {
    RecordCodec<ControlStatus> codec = RecordCodec.of(ControlStatus.class);
    List<ControlStatus> statuses = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : flow.readAll("status")) {
      statuses.add(codec.decode(record.value()));
    }
    return statuses;
  }

  private ControlStatus awaitRefusal(String text) throws Exception {
    return awaitRefusal("", text);
  }

  /** Waits for the refusal of a command or correction; of any if the id is empty. */
  private ControlStatus awaitRefusal(String id, String text) throws Exception {
    while (true) {
      for (ControlStatus status : statuses()) {
        if (status.getState().equals("refused")
            && (id.isEmpty() || status.getCommand().equals(id))
            && status.getMessage().contains(text)) {
          return status;
        }
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  @Test
  void aCorrectionIsInTheTablesOfTheNextSentences() throws Exception {
    JobID job = flow.start(job(2, ""));
    SentencePhraseTable before = awaitPairs("the house", 0);
    assertThat(before.getPhrases()).extracting(SentencePhrase::getText).contains("the house");

    correct("c1", "the house", "das gebäude", "0-0 1-1");
    SentencePhraseTable table = awaitPairs("the house", 1);
    PhraseTranslation learned = find(table, "house", "gebäude");
    assertThat(learned.getLearned()).isEqualTo(1);
    assertThat(ids(learned)).containsExactly("c1");
    assertThat(learned.getCorrections().get(0).getTime()).isEqualTo(Instant.ofEpochMilli(1_000));
    assertThat(find(table, "house", "haus").getLearned()).isZero();
    assertThat(table.getIndexId()).isEqualTo(before.getIndexId());

    // again, and one that the job aligns, with a word that the index does not know
    correct("c1", "the house", "das gebäude", "0-0 1-1");
    correct("c2", "the small gazebo", "das kleine gazebo", null);
    table = awaitPairs("the small gazebo", 2);
    assertThat(ids(find(table, "small gazebo", "kleine gazebo"))).containsExactly("c2");
    flow.stop(job);
  }

  @Test
  void badCorrectionsAreRefusedByTheirIds() throws Exception {
    JobID job = flow.start(job(2, ", max-pairs: 2"));
    flow.send(new ProducerRecord<>("fixes", 0, null, bytes("poison")));
    correct("empty", "", "das haus", null);
    correct("outside", "the house", "das haus", "0-7");
    correct("long", "house ".repeat(1_001), "haus", null);
    correct("c1", "the house", "das gebäude", "0-0 1-1");
    correct("c2", "the tree", "der strauch", "0-0 1-1");
    awaitPairs("the house", 2);
    assertThat(awaitRefusal("fixes, partition 0, offset 0").getMessage())
        .contains("not a correction");
    assertThat(awaitRefusal("correction empty").getCommand()).isEqualTo("empty");
    assertThat(awaitRefusal("correction outside").getMessage()).contains("the alignment is wrong");
    assertThat(awaitRefusal("correction long").getMessage()).contains("1001 words");

    correct("c3", "a tree", "ein strauch", "0-0 1-1");
    assertThat(awaitRefusal("c3", "max-pairs is 2").getStage()).isEqualTo("phrases");
    awaitPairs("the house", 2);
    assertThat(flow.restarts(job)).isZero();
  }

  @Test
  void aKilledTaskManagerAndARescaledJobKeepWhatWasLearned() throws Exception {
    JobConfig config = job(3, "");
    JobID job = flow.start(config);
    for (int i = 0; i < 5; i++) {
      String target = i % 2 == 0 ? "baum" : "strauch";
      correct("c" + i, "the house of tree", "das haus vom " + target, "0-0 1-1 2-2 3-3");
    }
    List<SentencePhraseTable> before = tables(5);

    flow.cluster().terminateTaskManager(1).get();
    flow.cluster().startTaskManager();
    for (int i = 0; i < 20; i++) {
      send(TEXTS.get(i % TEXTS.size()));
    }
    assertThat(received()).hasSize(PARTITIONS * sent);
    assertThat(flow.restarts(job)).isPositive();
    assertThat(tables(5)).isEqualTo(before);

    int parallelism = 3;
    for (int next : new int[] {1, 2}) {
      String savepoint = flow.stop(job);
      job = flow.restore(savepoint, job(next, ""));
      assertThat(tables(5)).as(parallelism + " to " + next).isEqualTo(before);
      parallelism = next;
    }
    correct("c5", "a tree", "ein strauch", "0-0 1-1");
    correct("c4", "a tree", "ein strauch", "0-0 1-1"); // learned before
    assertThat(ids(find(awaitPairs("the house of a tree", 6), "a tree", "ein strauch")))
        .containsExactly("c5");
  }

  @Test
  void manyPairsBecomeANewIndexToWhichTheJobSwitches() throws Exception {
    Path compacted = Files.createDirectory(folder.resolve("compacted"));
    String limits = ", max-pairs: 8, compact: {pairs: 5, directory: \"" + compacted + "\"}";
    JobID job = flow.start(job(2, limits));
    String text = "the house of a tree";
    for (int i = 0; i < 4; i++) {
      correct("c" + i, "the house of tree", "das haus vom baum", "0-0 1-1 2-2 3-3");
    }
    SentencePhraseTable four = awaitPairs(text, 4);
    correct("c4", "a tree", "ein strauch", "0-0 1-1");
    SentencePhraseTable after = await(text, table -> !table.getIndexId().equals(four.getIndexId()));
    assertThat(after.getLearnedPairs()).isZero();
    assertThat(find(after, "of", "vom").getCount()).isEqualTo(4);
    assertThat(find(after, "a tree", "ein strauch").getCount()).isEqualTo(1);
    List<SentencePhraseTable> tables =
        received().stream().map(one -> one.getPhraseTables().get(0)).toList();
    // those that used all five pairs beside the old index said the same
    tables.stream()
        .filter(table -> table.getLearnedPairs() == 5)
        .forEach(table -> assertThat(answers(table)).isEqualTo(answers(after)));

    for (int i = 5; i < 9; i++) { // more than max-pairs in all
      correct("c" + i, "the tree", "der strauch", "0-0 1-1");
    }
    SentencePhraseTable more = awaitPairs(text, 4);
    flow.restore(flow.stop(job), job(1, limits));
    assertThat(awaitPairs(text, 4)).isEqualTo(more);
    correct("c9", "the tree", "der strauch", "0-0 1-1");
    SentencePhraseTable twice = await(text, table -> !table.getIndexId().equals(more.getIndexId()));
    assertThat(find(twice, "tree", "strauch").getCount()).isEqualTo(6);
  }

  /** The figures are printed, not compared: they depend on the machine. */
  @Test
  void correctionsAreUsedSoon() throws Exception {
    int corrections = 50;
    flow.start(job(2, ""));
    awaitPairs("the house", 0);
    int first = sent;
    StringBuilder all = new StringBuilder("the");
    for (int i = 0; i < corrections; i++) {
      all.append(" word").append(i);
    }
    Map<String, Long> corrected = new HashMap<>();
    List<Long> sentences = new ArrayList<>();
    for (int i = 0; i < corrections; i++) {
      correct("c" + i, "word" + i, "wort" + i, "0-0");
      corrected.put("c" + i, System.nanoTime());
      for (int j = 0; j < 10; j++) {
        sentences.add(System.nanoTime());
        send(all.toString());
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
    awaitPairs("the house", corrections);
    List<Long> waited = new ArrayList<>();
    Map<String, Long> used = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : flow.readAll("out")) {
      int number = Integer.parseInt(new String(record.key(), StandardCharsets.UTF_8).substring(2));
      if (number < first || number >= first + sentences.size()) {
        continue;
      }
      Translation one = RecordCodec.of(Translation.class).decode(record.value());
      for (SentencePhrase phrase : one.getPhraseTables().get(0).getPhrases()) {
        for (PhraseTranslation translation : phrase.getTranslations()) {
          ids(translation).forEach(id -> used.merge(id, sentences.get(number - first), Math::min));
        }
      }
    }
    corrected.forEach(
        (id, time) -> {
          if (used.containsKey(id)) { // else only later sentences have it
            waited.add((used.get(id) - time) / 1_000_000);
          }
        });
    waited.sort(Long::compare);
    assertThat(waited).hasSizeGreaterThan(corrections / 2);
    System.out.printf(
        "%d corrections, of which %d were used while they came: the first sentence that used one"
            + " was sent %d ms (median), %d ms (p99) and %d ms (at most) after it%n",
        corrections,
        waited.size(),
        waited.get(waited.size() / 2),
        waited.get((int) Math.ceil(waited.size() * 0.99) - 1),
        waited.get(waited.size() - 1));
  }
}
