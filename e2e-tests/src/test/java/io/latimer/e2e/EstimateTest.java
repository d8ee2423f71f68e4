package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.lm.estimate.EstimateReport;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.PublishedModel;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointStatsCounts;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job publishes exactly the models of its sentences, whatever happens to the job. */
@Timeout(240)
class EstimateTest {
  private static final RecordCodec<PublishedModel> MODELS = RecordCodec.of(PublishedModel.class);
  private static final RecordCodec<Sentence> SENTENCES = RecordCodec.of(Sentence.class);

  private static final int PARTITIONS = 2;

  /** Time between sentences, in event time. */
  private static final int STEP = 40;

  private static final int PER_WINDOW = 200;
  private static final long WINDOW = (long) PER_WINDOW * STEP;
  private static final int WINDOWS = 12;
  private static final int NUMBER = WINDOWS * PER_WINDOW;

  @TempDir Path folder;
  private Flow flow;

  /** Some hours ago, because a broker refuses future times and soon deletes old ones. */
  private long began;

  private List<String> sentences;

  /** Models by what they cover, in the order of time. */
  private record Key(long end, boolean running) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byEnd = Long.compare(end, other.end);
      return byEnd != 0 ? byEnd : Boolean.compare(running, other.running);
    }
  }

  @BeforeEach
  void start() throws Exception {
    flow = new Flow(folder);
    flow.topic("said", PARTITIONS);
    flow.topic("dead", 1);
    began = Instant.now().minus(Duration.ofHours(3)).toEpochMilli() / WINDOW * WINDOW;
    List<String> feed = Flow.feed();
    sentences = new ArrayList<>();
    for (int i = 0; i < NUMBER; i++) {
      boolean last = (i + 1) % PER_WINDOW == 0;
      sentences.add(last ? lastWord(i) : feed.get((i * 5 + 3) % feed.size()));
    }
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /**
   * A word that is last in its window and last in UTF-8 order. lmplz treats the last word
   * specially, and the command line and a job differ in which word that is.
   */
  private static String lastWord(int i) {
    return String.format(Locale.ROOT, "\udbff\udffd%05d", i);
  }

  private JobConfig job(String name, boolean bounded, int parallelism) throws Exception {
    flow.topic(name, 1);
    String yaml =
        """
        name: %1$s
        source:
          kafka: {bootstrap-servers: "%2$s", topics: [said], start: earliest, bounded: %3$s}
        event-time: {out-of-orderness: 2s, idleness: 2s}
        stages:
          - estimate:
              folder: models-%1$s
              order: 3
              window: %4$sms
              running: true
              sinks: [kafka: {bootstrap-servers: "%2$s", topic: %1$s}]
        sinks: []
        dead-letters:
          kafka: {bootstrap-servers: "%2$s", topic: dead, delivery: exactly-once}
        parallelism: %5$d
        checkpoints: {interval: 300ms, directory: "%6$s"}
        restarts: {attempts: 20, delay: 200ms}
        """
            .formatted(
                name,
                flow.broker().bootstrapServers(),
                bounded,
                WINDOW,
                parallelism,
                folder.resolve("checkpoints").toUri());
    return JobConfigReader.read(yaml, "e2e.yaml", folder);
  }

  private void send(int from, int to) throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = from; i < to; i++) {
      records.add(record(i % PARTITIONS, sentences.get(i), began + (long) i * STEP));
    }
    flow.sendAll(records);
  }

  private static ProducerRecord<byte[], byte[]> record(int partition, String text, long time) {
    Sentence sentence =
        new Sentence("", "feed", "en", text, Instant.ofEpochMilli(time), List.of(), List.of());
    return new ProducerRecord<>("said", partition, null, SENTENCES.encode(sentence));
  }

  /** The models of the sentences' windows; each is published once. */
  private Map<Key, PublishedModel> models(List<ConsumerRecord<byte[], byte[]>> records)
      throws RecordFormatException {
    Map<Key, PublishedModel> models = new TreeMap<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      PublishedModel model = MODELS.decode(record.value());
      long end = model.getEnd().toEpochMilli();
      assertThat(record.timestamp()).isEqualTo(end - 1);
      if (end <= began + (long) NUMBER * STEP) {
        assertThat(models.put(new Key(end, model.getRunning()), model)).isNull();
        assertThat(model.getLate()).isZero();
      }
    }
    return models;
  }

  private Set<String> files(String job) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("models-" + job))) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  private static List<Scored> scores(Path model, List<String> texts) {
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      return score.apply(texts).stream().map(Result::orElseThrow).toList();
    }
  }

  /** The published model and that of the command line give bit-identical scores. */
  private void assertModel(PublishedModel model, List<String> text, List<String> texts)
      throws IOException {
    Path expected = folder.resolve("expected.llm");
    EstimateReport report = LanguageModels.estimate(text, expected);
    assertThat(model.getSentences()).isEqualTo(report.sentences());
    assertThat(model.getWords()).isEqualTo(report.words());
    assertThat(model.getNgrams())
        .isEqualTo(report.orders().stream().map(EstimateReport.Order::kept).toList());
    // the reference is all that a reader needs
    IndexRef ref =
        new IndexRef(
            model.getKind(), URI.create(model.getUri()), model.getSha256(), model.getVersion());
    assertThat(IndexRefs.path(ref)).hasFileName(model.getSha256() + ".llm");
    IndexRefs.open(ref).close();
    List<Scored> found = scores(IndexRefs.path(ref), texts);
    List<Scored> wanted = scores(expected, texts);
    for (int i = 0; i < texts.size(); i++) {
      assertThat(found.get(i).log10()).isEqualTo(wanted.get(i).log10());
      assertThat(found.get(i).lengths()).isEqualTo(wanted.get(i).lengths());
    }
  }

  @Test
  void aKilledJobPublishesTheModelsOfOneThatWasNot() throws Exception {
    JobID killed = flow.start(job("killed", false, 3));
    send(0, NUMBER / 2);
    // committed models imply a completed checkpoint to go back to
    assertThat(flow.await("killed", 4)).hasSizeGreaterThanOrEqualTo(4);
    flow.awaitCheckpoints(killed, CheckpointStatsCounts::getNumberOfCompletedCheckpoints, 0);
    assertThat(flow.checkpoints(killed).getNumberOfRestoredCheckpoints()).isZero();

    flow.cluster().terminateTaskManager(0).get();
    flow.cluster().startTaskManager();
    send(NUMBER / 2, NUMBER);
    for (int i = 0; i < PARTITIONS; i++) {
      flow.send(record(i, "", began + 3_600_000));
    }
    flow.await("killed", 2 * WINDOWS); // each with its running model
    assertThat(flow.restarts(killed)).isPositive();
    flow.awaitCheckpoints(killed, CheckpointStatsCounts::getNumberOfRestoredCheckpoints, 0);
    flow.stop(killed);
    Map<Key, PublishedModel> models = models(flow.readAll("killed"));
    assertThat(models).hasSize(2 * WINDOWS);
    // what was published before and after the kill has one file, and no partial one is left
    assertThat(files("killed"))
        .isEqualTo(
            models.values().stream().map(m -> m.getSha256() + ".llm").collect(Collectors.toSet()));

    List<String> heldOut = new ArrayList<>(Flow.feed());
    heldOut.add("a word that nobody has ever said");
    for (int window : List.of(0, WINDOWS / 2, WINDOWS - 1)) {
      long end = began + (window + 1) * WINDOW;
      int to = (window + 1) * PER_WINDOW;
      assertModel(models.get(new Key(end, false)), sentences.subList(to - PER_WINDOW, to), heldOut);
      assertModel(models.get(new Key(end, true)), sentences.subList(0, to), heldOut);
    }

    JobID whole = flow.start(job("whole", true, 1));
    assertThat(
            flow.cluster()
                .requestJobResult(whole)
                .get()
                .toJobExecutionResult(EstimateTest.class.getClassLoader()))
        .isNotNull();
    // and the two of the empty sentences at the end
    assertThat(flow.await("whole", 2 * WINDOWS + 2)).hasSize(2 * WINDOWS + 2);
    Map<Key, PublishedModel> undisturbed = models(flow.readAll("whole"));
    assertThat(undisturbed.keySet()).isEqualTo(models.keySet());
    undisturbed.forEach(
        (key, model) -> {
          assertThat(models.get(key).getSha256()).isEqualTo(model.getSha256());
          assertThat(model.getUri()).contains("models-whole");
        });
  }
}
