package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.CountedNgram;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointStatsCounts;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job counts exactly the n-grams of its sentences, whatever happens to the job. */
@Timeout(240)
class NgramsTest {
  private static final RecordCodec<NgramTable> TABLES = RecordCodec.of(NgramTable.class);
  private static final RecordCodec<Sentence> SENTENCES = RecordCodec.of(Sentence.class);

  private static final int PARTITIONS = 2;

  /**
   * Time of the first sentence, at an even minute, so that windows are the same in every run. It is
   * some hours ago, because a broker refuses future times and soon deletes old ones.
   */
  private static long began;

  /** The time span of all sentences except those that end the windows. */
  private static final long UNTIL = 3_600_000;

  /** Maximum out-of-orderness of records, which the jobs allow. */
  private static final int DISORDER = 2_000;

  /** Time between records, in event time. */
  private static final int STEP = 40;

  @TempDir static Path folder;
  private static Flow flow;
  private static List<String> sentences;

  @BeforeAll
  static void start() throws Exception {
    flow = new Flow(folder);
    began = Instant.now().minus(Duration.ofHours(3)).toEpochMilli() / 120_000 * 120_000;
    // other bytes are escaped, which the operator's tests cover
    sentences = Flow.feed().stream().filter(s -> s.chars().allMatch(c -> c < 0x7f)).toList();
  }

  @AfterAll
  static void stop() {
    flow.close();
  }

  /** So that a failing test does not affect others. */
  @AfterEach
  void cancel() throws Exception {
    flow.cancelAll();
  }

  /** A sentence of the tests. */
  private record Said(String feed, long time, String text) {
    ProducerRecord<byte[], byte[]> record(String topic, int partition) {
      Sentence sentence =
          new Sentence("", feed, "en", text, Instant.ofEpochMilli(time), List.of(), List.of());
      return new ProducerRecord<>(topic, partition, null, SENTENCES.encode(sentence));
    }
  }

  private static List<Said> said(int from, int to, int feeds) {
    List<Said> said = new ArrayList<>();
    for (int i = from; i < to; i++) {
      // pseudo-random, but reproducible for the same number
      int disorder = new Random(i).nextInt(DISORDER);
      String text = sentences.get((i * 7 + 3) % sentences.size());
      said.add(new Said("feed" + i % feeds, began + (long) i * STEP - disorder, text));
    }
    return said;
  }

  private static void send(String topic, List<Said> said) throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < said.size(); i++) {
      records.add(said.get(i).record(topic, i % PARTITIONS));
    }
    flow.sendAll(records);
  }

  /** Ends all windows: one much later sentence in each partition. */
  private static void sendEnd(String topic) throws Exception {
    for (int i = 0; i < PARTITIONS; i++) {
      flow.send(new Said("end", began + 2 * UNTIL, "").record(topic, i));
    }
  }

  /** A job with these stages, whose tables go to a topic. */
  private static JobConfig job(String topic, boolean bounded, int parallelism, String... stages) {
    String yaml =
        """
        name: %1$s
        source:
          kafka: {bootstrap-servers: "%2$s", topics: [%1$s], start: earliest, bounded: %3$s}
        event-time: {out-of-orderness: %4$sms, idleness: 2s}
        stages:
        %5$s
        sinks:
          - kafka: {bootstrap-servers: "%2$s", topic: %1$s-out, delivery: exactly-once}
        dead-letters:
          kafka: {bootstrap-servers: "%2$s", topic: dead, delivery: exactly-once}
        parallelism: %6$d
        checkpoints: {interval: 300ms, directory: "%7$s"}
        restarts: {attempts: 20, delay: 200ms}
        """
            .formatted(
                topic,
                flow.broker().bootstrapServers(),
                bounded,
                DISORDER,
                String.join("\n", stages).indent(2),
                parallelism,
                folder.resolve("checkpoints").toUri());
    return JobConfigReader.read(yaml, "e2e.yaml", folder);
  }

  private static String ngrams(String name, String topic, String settings) {
    return "- ngrams: {name: "
        + name
        + ", top: 100000, "
        + settings
        + ", sinks: [kafka: {bootstrap-servers: \""
        + flow.broker().bootstrapServers()
        + "\", topic: "
        + topic
        + "-tables, properties: {max.request.size: 8000000}}]}";
  }

  private static void topics(String topic) throws Exception {
    flow.topic(topic, PARTITIONS);
    flow.topic(topic + "-out", 1);
    flow.topic(topic + "-tables", 1);
  }

  private static List<NgramTable> tables(List<ConsumerRecord<byte[], byte[]>> records)
      throws RecordFormatException {
    List<NgramTable> tables = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      NgramTable table = TABLES.decode(record.value());
      // the end of the table is its time in Kafka
      assertThat(record.timestamp()).isEqualTo(table.getEnd().toEpochMilli() - 1);
      tables.add(table);
    }
    return tables;
  }

  /**
   * All records of a topic, at least so many: the last transactions of an ended job become visible
   * with a delay.
   */
  private static List<ConsumerRecord<byte[], byte[]>> all(String topic, int atLeast) {
    assertThat(flow.await(topic, atLeast)).hasSizeGreaterThanOrEqualTo(atLeast);
    return flow.readAll(topic);
  }

  private static NgramCount count(List<Said> said, NgramCount count, boolean byFeed) {
    said.forEach(one -> count.add(byFeed ? one.feed() : "", one.time(), one.text()));
    return count;
  }

  /**
   * Every window has exactly one table with the expected counts, and the last running table is as
   * expected, too.
   *
   * @param until windows that end later are ignored
   */
  private static void assertTables(
      List<NgramTable> tables, String stage, String feed, NgramCount expected, long until) {
    TreeMap<Long, NgramTable> windows = new TreeMap<>();
    NgramTable last = null;
    for (NgramTable table : tables) {
      if (!table.getStage().equals(stage) || !table.getFeed().equals(feed)) {
        continue;
      }
      if (table.getEnd().toEpochMilli() > until) {
        continue;
      }
      if (table.getRunning()) {
        assertThat(last == null || last.getTotal() < table.getTotal()).isTrue();
        last = table;
      } else {
        NgramTable before = windows.put(table.getEnd().toEpochMilli(), table);
        assertThat(before).as("a second table of one window").isNull();
        assertThat(table.getRevision()).isZero();
      }
    }
    Map<Long, NgramCount.Counts> counted = expected.windows(feed);
    assertThat(windows.keySet()).isEqualTo(counted.keySet()).hasSizeGreaterThan(3);
    counted.forEach((end, counts) -> assertTable(windows.get(end), counts));
    assertThat(last).isNotNull();
    assertTable(last, expected.total(feed));
  }

  private static void assertSucceeds(JobID job) throws Exception {
    // throws the failure of the job
    assertThat(
            flow.cluster()
                .requestJobResult(job)
                .get()
                .toJobExecutionResult(NgramsTest.class.getClassLoader()))
        .isNotNull();
  }

  private static void assertTable(NgramTable table, NgramCount.Counts counts) {
    assertThat(NgramCount.of(table)).isEqualTo(counts.ngrams);
    assertThat(table.getSentences()).isEqualTo(counts.sentences);
    assertThat(table.getTotal()).isEqualTo(counts.total());
    assertThat(table.getDistinct()).isEqualTo(counts.ngrams.size());
    assertThat(table.getLate()).isZero();
    assertThat(table.getTop())
        .isSortedAccordingTo(Comparator.comparing(CountedNgram::getCount).reversed());
  }

  @Test
  void windowsAndTotalsEqualACountInMaps() throws Exception {
    topics("count");
    List<Said> said = said(0, 1_500, 3);
    send("count", said);

    JobID job =
        flow.start(
            job(
                "count",
                true,
                PARTITIONS,
                ngrams("tumbling", "count", "unit: words, order: 2, window: 10s"),
                ngrams("sliding", "count", "unit: bytes, order: 3, window: 15s, slide: 5s")));
    assertSucceeds(job);

    NgramCount words = count(said, new NgramCount("words", 2, 10_000, 10_000), false);
    NgramCount bytes = count(said, new NgramCount("bytes", 3, 15_000, 5_000), false);
    // a running table after each window, except the last two, which extend beyond the last sentence
    int due = 2 * words.windows("").size() + 2 * bytes.windows("").size() - 2;
    List<NgramTable> tables = tables(all("count-tables", due));
    assertThat(tables).hasSize(due);
    assertTables(tables, "tumbling", "", words, Long.MAX_VALUE);
    assertTables(tables, "sliding", "", bytes, Long.MAX_VALUE);
    // and the sentences passed through unchanged
    List<String> passed = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : all("count-out", said.size())) {
      passed.add(SENTENCES.decode(record.value()).getText());
    }
    assertThat(passed).containsExactlyInAnyOrderElementsOf(said.stream().map(Said::text).toList());
  }

  @Test
  void aKilledTaskManagerChangesNoCount() throws Exception {
    topics("kill");
    int chunk = 400;
    int chunks = 6;
    String stage = ngrams("ngrams", "kill", "unit: words, order: 2, window: 4s");
    JobID job = flow.start(job("kill", false, 3, stage));
    for (int i = 0; i < chunks / 2; i++) {
      send("kill", said(i * chunk, (i + 1) * chunk, 1));
    }
    // committed tables imply a completed checkpoint to go back to
    assertThat(flow.await("kill-tables", 4)).hasSizeGreaterThanOrEqualTo(4);
    flow.awaitCheckpoints(job, CheckpointStatsCounts::getNumberOfCompletedCheckpoints, 0);
    assertThat(flow.checkpoints(job).getNumberOfRestoredCheckpoints()).isZero();
    // and half of the sentences are not sent yet
    assertThat(tables(flow.readAll("kill-tables")))
        .allMatch(t -> t.getEnd().toEpochMilli() <= began + (long) chunks / 2 * chunk * STEP);

    flow.cluster().terminateTaskManager(0).get();
    flow.cluster().startTaskManager();
    List<Said> said = said(0, chunks * chunk, 1);
    for (int i = chunks / 2; i < chunks; i++) {
      send("kill", said(i * chunk, (i + 1) * chunk, 1));
    }
    sendEnd("kill");

    NgramCount expected = count(said, new NgramCount("words", 2, 4_000, 4_000), false);
    int windows = expected.windows("").size();
    flow.await("kill-tables", 2 * windows); // each with its running table
    assertThat(flow.restarts(job)).isPositive();
    flow.awaitCheckpoints(job, CheckpointStatsCounts::getNumberOfRestoredCheckpoints, 0);
    flow.stop(job);
    assertTables(tables(flow.readAll("kill-tables")), "ngrams", "", expected, began + UNTIL);
    assertThat(flow.readAll("kill-out")).hasSize(said.size() + PARTITIONS);
  }

  @Test
  void aSavepointIsRestoredWithOtherParallelism() throws Exception {
    topics("scale");
    String stage =
        ngrams("ngrams", "scale", "unit: bytes, order: 2, window: 8s, slide: 4s, by-feed: true");
    List<Said> said = said(0, 1_600, 5);
    JobID first = flow.start(job("scale", false, 1, stage));
    send("scale", said.subList(0, 800));
    flow.await("scale-tables", 10);
    String savepoint = flow.stop(first);
    List<NgramTable> before = tables(flow.readAll("scale-tables"));

    JobID second = flow.restore(savepoint, job("scale", false, 3, stage));
    send("scale", said.subList(800, said.size()));
    sendEnd("scale");

    NgramCount expected = count(said, new NgramCount("bytes", 2, 8_000, 4_000), true);
    int windows = 0;
    for (int feed = 0; feed < 5; feed++) {
      windows += expected.windows("feed" + feed).size();
    }
    // the last window of a feed adds nothing to the running totals
    flow.await("scale-tables", 2 * windows - 5);
    flow.stop(second);
    List<NgramTable> tables = tables(flow.readAll("scale-tables"));
    assertThat(before).hasSizeBetween(10, tables.size() / 2 + 10);
    for (int feed = 0; feed < 5; feed++) {
      assertTables(tables, "ngrams", "feed" + feed, expected, began + UNTIL);
    }
  }

  @Test
  void translationsAreCountedBehindTheStageThatMakesThem() throws Exception {
    topics("words");
    List<Said> said = said(0, 80, 1);
    send("words", said);
    JobID job =
        flow.start(
            job(
                "words",
                true,
                1,
                "- " + Flow.translate(Flow.MODEL, ", beam: 1"),
                ngrams("of-translations", "words", "order: 1, window: 1s"),
                ngrams("of-sources", "words", "order: 1, window: 1s, text: source")));
    assertSucceeds(job);

    List<Translation> translations = Received.translations(all("words-out", said.size()));
    assertThat(translations).hasSize(said.size());
    NgramCount targets = new NgramCount("words", 1, 1_000, 1_000);
    NgramCount sources = new NgramCount("words", 1, 1_000, 1_000);
    for (Translation translation : translations) {
      long time = translation.getSource().getEventTime().toEpochMilli();
      targets.add("", time, translation.getText());
      sources.add("", time, translation.getSource().getText());
    }
    int due = 2 * targets.windows("").size() + 2 * sources.windows("").size();
    List<NgramTable> tables = tables(all("words-tables", due));
    assertTables(tables, "of-translations", "", targets, Long.MAX_VALUE);
    assertTables(tables, "of-sources", "", sources, Long.MAX_VALUE);
    assertThat(Map.copyOf(targets.total("").ngrams)).isNotEqualTo(sources.total("").ngrams);
  }
}
