package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class MetricsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  @Test
  void aStageTellsHowItsBatchesFare() throws Exception {
    Path in = folder.resolve("in");
    // 40 records, two of them unreadable, in batches of at most 16
    Files.writeString(in, "line\n".repeat(38), StandardCharsets.UTF_8);
    Files.write(in, new byte[] {(byte) 0xFF, '\n', (byte) 0xFF, '\n'}, StandardOpenOption.APPEND);
    JobID job =
        CLUSTER.run(
            Jobs.job(
                Jobs.from(in),
                Jobs.text(folder.resolve("out")),
                Jobs.text(folder.resolve("dead"))));

    long batches = batches(job);
    assertThat(batches).isGreaterThanOrEqualTo(3);
    assertThat(count(job, "gather identity.0.fill.records.batches")).isBetween(0L, 2L);
    Histogram sizes = (Histogram) one(job, "gather identity.0.batchSize");
    assertThat(sizes.getCount()).isEqualTo(batches);
    assertThat(sizes.getStatistics().getMean() * batches).isCloseTo(40, Offset.offset(0.001));
    assertThat(((Histogram) one(job, "identity.0.queueTime")).getCount()).isEqualTo(batches);
    assertThat(((Histogram) one(job, "identity.0.operatorTime")).getCount()).isEqualTo(batches);
    assertThat(one(job, "identity.0.tokensPerSecond")).isInstanceOf(Meter.class);
    assertThat(count(job, "scatter identity.0.deadLetters")).isEqualTo(2);
  }

  @Test
  void stagesThatShareBatchesTellHowEachFares() throws Exception {
    Files.write(folder.resolve("in"), List.of("open the door", "x ".repeat(9)));
    String yaml =
        """
        source: {files: {path: in}}
        stages:
          - identity: {}
          - grammar-check: {grammar: '%s', max-words: 8}
        sinks: [{files: {path: out}}]
        dead-letters: {files: {path: dead}}
        """
            .formatted(
                Path.of("src/test/resources/savepoints/indexes/grammar.lgx").toAbsolutePath());
    JobID job = CLUSTER.run(JobConfigReader.read(yaml, "job.yaml", folder));

    String operator = "identity, grammar-check.0.";
    long batches = batches(job);
    assertThat(batches).isBetween(1L, 2L);
    assertThat(((Histogram) one(job, operator + "operatorTime")).getCount()).isEqualTo(batches);
    assertThat(count(job, "scatter " + operator + "deadLetters")).isEqualTo(1);
    for (String stage : List.of("identity", "grammar-check")) {
      String own = operator + "stage." + stage + ".";
      assertThat(((Histogram) one(job, own + "operatorTime")).getCount()).isEqualTo(batches);
      assertThat(((Histogram) one(job, own + "queueTime")).getCount()).isEqualTo(batches);
      assertThat(((Gauge<?>) one(job, own + "gpu")).getValue()).isEqualTo(-1);
      assertThat(count(job, own + "deadLetters")).isEqualTo(stage.equals("identity") ? 0 : 1);
    }
  }

  @Test
  void aStageThatMakesTablesTellsWhatItCounts() throws Exception {
    Path in = folder.resolve("in");
    Files.writeString(in, "a b\n".repeat(38), StandardCharsets.UTF_8);
    Files.write(in, new byte[] {(byte) 0xFF, '\n', (byte) 0xFF, '\n'}, StandardOpenOption.APPEND);
    String yaml =
        """
        name: counted
        source: {files: {path: in}}
        stages: [{ngrams: {order: 1, window: 1d, sinks: [{files: {path: tables}}]}}]
        sinks: []
        dead-letters: {files: {path: dead}}
        checkpoints: {interval: 100ms}
        """;
    JobID job = CLUSTER.run(JobConfigReader.read(yaml, "job.yaml", folder));

    assertThat(count(job, "count ngrams.0.countedRecords")).isEqualTo(38);
    assertThat(count(job, "count ngrams.0.parts")).isPositive();
    assertThat(((Gauge<?>) one(job, "count ngrams.0.openPanes")).getValue()).isEqualTo(0);
    assertThat(count(job, "count ngrams.0.deadLetters")).isEqualTo(2);
    Histogram sizes = (Histogram) one(job, "count ngrams.0.countSize");
    assertThat(sizes.getStatistics().getMean() * sizes.getCount())
        .isCloseTo(38, Offset.offset(0.001));
    assertThat(values(job, "count ngrams.0.countTime")).isEqualTo(sizes.getCount());
    assertThat(values(job, "count ngrams.0.partTime"))
        .isEqualTo(count(job, "count ngrams.0.parts"))
        .isEqualTo(values(job, "merge ngrams.0.mergeTime"));
    assertThat(count(job, "merge ngrams.0.tables"))
        .isEqualTo(Jobs.lines(folder.resolve("tables")).size())
        .isEqualTo(2);
    assertThat(count(job, "merge ngrams.0.lateRecords")).isZero();
    // the window's and the running table, at the end
    assertThat(values(job, "merge ngrams.0.assembleTime")).isEqualTo(1);
    assertThat(values(job, "merge ngrams.0.tableTime")).isEqualTo(2);
  }

  @Test
  void aStageThatPublishesModelsTellsHowLongTheyTakeAndHowManyAreDue() throws Exception {
    Files.writeString(folder.resolve("in"), "a b\n".repeat(38), StandardCharsets.UTF_8);
    String yaml =
        """
        name: estimated
        source: {files: {path: in}}
        stages:
          - estimate:
              {folder: models, order: 2, window: 1d, running: true, sinks: [{files: {path: out}}]}
        sinks: []
        """;
    JobID job = CLUSTER.run(JobConfigReader.read(yaml, "job.yaml", folder));

    assertThat(count(job, "merge estimate.0.tables")).isEqualTo(2);
    assertThat(values(job, "merge estimate.0.tableTime")).isEqualTo(2);
    assertThat(values(job, "merge estimate.0.assembleTime")).isEqualTo(1);
    assertThat(value(job, "merge estimate.0.dueTables")).isZero();
  }

  private static CountDownLatch goOn;

  private static void hold(List<Envelope> batch) throws InterruptedException {
    goOn.await();
  }

  @Test
  void whatWaitsAndWhatIsInWorkIsShownWhileAStageWorks() throws Exception {
    goOn = new CountDownLatch(1);
    Files.write(folder.resolve("in"), Jobs.numbered(200));
    JobClient client =
        CLUSTER.start(
            Jobs.job(Jobs.from(folder.resolve("in")), Jobs.text(folder.resolve("out")), Jobs.FAIL),
            new TestStage("first", batch -> {}),
            new TestStage("second", MetricsTest::hold));
    JobID job = client.getJobID();
    String operator = "first, second.0.";
    try {
      // each stage takes one batch at once, so the second batch waits for the second stage
      while (find(job, operator + "stage.second.queueDepth").isEmpty()
          || value(job, operator + "stage.second.queueDepth") != 1) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(value(job, operator + "stage.second.inFlight")).isEqualTo(1);
      assertThat(value(job, operator + "stage.first.inFlight")).isZero();
      assertThat(value(job, operator + "stage.first.queueDepth")).isZero();
      while (value(job, operator + "queueDepth") < 5) {
        TimeUnit.MILLISECONDS.sleep(20); // the others wait for a thread
      }
    } finally {
      goOn.countDown();
    }
    client.getJobExecutionResult().get();
    for (String gauge : List.of("inFlight", "queueDepth", "stage.second.inFlight")) {
      assertThat(value(job, operator + gauge)).as(gauge).isZero();
    }
  }

  @Test
  void theLatencyIsThatOfTheRecordsThatAreWritten() throws Exception {
    Path in = folder.resolve("in.avro");
    Instant anHourAgo = Instant.now().minus(Duration.ofHours(1));
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.create(Sentence.getClassSchema(), in.toFile());
      for (int i = 0; i < 40; i++) {
        writer.append(new Sentence("" + i, "", "", "text", anHourAgo, List.of(), List.of()));
      }
    }
    String yaml =
        """
        source: {files: {path: '%s', watch: 100ms}}
        stages: [{identity: {}}]
        sinks: [{files: {path: out}}]
        dead-letters: {files: {path: dead}}
        """
            .formatted(in);
    JobClient client = CLUSTER.start(JobConfigReader.read(yaml, "job.yaml", folder));
    JobID job = client.getJobID();
    try {
      while (find(job, "sink-files line.0.eventTimeLatency").isEmpty()
          || ((Histogram) one(job, "sink-files line.0.eventTimeLatency")).getCount() < 40) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      double hour = Duration.ofHours(1).toMillis();
      Offset<Double> minutes = Offset.offset(300_000.0);
      Histogram latency = (Histogram) one(job, "sink-files line.0.eventTimeLatency");
      assertThat(latency.getCount()).isEqualTo(40);
      assertThat(latency.getStatistics().getMean()).isCloseTo(hour, minutes);
      Histogram ingestion = (Histogram) one(job, "sink-files line.0.ingestionTimeLatency");
      assertThat(ingestion.getStatistics().getMean()).isCloseTo(0, minutes);
    } finally {
      client.cancel().get();
      CLUSTER.awaitEnd(client.getJobID());
    }
  }

  /** The server answers the second request only, with one event of an hour ago that is skipped. */
  @Test
  void aFeedTellsWhatItReadsAndHowFarItIsBehind() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    String event =
        "data: {\"meta\": {\"dt\": \"" + Instant.now().minus(Duration.ofHours(1)) + "\"}}\n\n";
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          boolean first = requests.getAndIncrement() == 0;
          byte[] body = event.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
          exchange.sendResponseHeaders(first ? 503 : 200, first ? -1 : 0);
          if (!first) {
            exchange.getResponseBody().write(body);
            exchange.getResponseBody().flush(); // and stays open
          }
        });
    server.start();
    String yaml =
        """
        source: {feed: {from: {wikimedia: {url: 'http://127.0.0.1:%d/'}}}}
        stages: [{identity: {}}]
        sinks: [{files: {path: out}}]
        """
            .formatted(server.getAddress().getPort());
    JobClient client = CLUSTER.start(JobConfigReader.read(yaml, "job.yaml", folder));
    JobID job = client.getJobID();
    String source = "Source: feed source.0.";
    try {
      while (find(job, source + "feedItems").isEmpty() || count(job, source + "feedItems") < 1) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(count(job, source + "feedItems")).isEqualTo(1);
      assertThat(count(job, source + "feedBytes")).isEqualTo(event.length());
      assertThat(count(job, source + "feedRetries")).isEqualTo(1);
      while (value(job, source + "feedLag") < 0) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      long hour = Duration.ofHours(1).toMillis();
      assertThat(value(job, source + "feedLag")).isBetween(hour, hour + 180_000);
    } finally {
      client.cancel().get();
      CLUSTER.awaitEnd(job);
      server.stop(0);
    }
  }

  private static long value(JobID job, String name) {
    return ((Number) ((Gauge<?>) one(job, name)).getValue()).longValue();
  }

  private static long batches(JobID job) {
    return find(job, ".batches").stream().mapToLong(metric -> ((Counter) metric).getCount()).sum();
  }

  private static long count(JobID job, String name) {
    return ((Counter) one(job, name)).getCount();
  }

  /** The number of values that a histogram was given. */
  private static long values(JobID job, String name) {
    return ((Histogram) one(job, name)).getCount();
  }

  private static Metric one(JobID job, String name) {
    List<Metric> found = find(job, "." + name);
    assertThat(found).as(name).hasSize(1);
    return found.get(0);
  }

  private static List<Metric> find(JobID job, String end) {
    return CLUSTER.metrics(job).entrySet().stream()
        .filter(entry -> entry.getKey().endsWith(end))
        .map(Map.Entry::getValue)
        .toList();
  }
}
