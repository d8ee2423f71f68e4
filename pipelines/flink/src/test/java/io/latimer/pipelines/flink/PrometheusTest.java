package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRefs;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.prometheus.PrometheusReporterFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The metrics of a running job, as Prometheus reads them over HTTP. */
@Timeout(180)
class PrometheusTest {
  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final Path INDEXES = Path.of("src/test/resources/savepoints/indexes");
  private static final int PORT = freePort();

  private static final String PREFIX = "flink_taskmanager_job_task_operator_";

  private static final Pattern LAST_COLUMN = Pattern.compile("(?m)`(" + PREFIX + "\\w+)` \\|$");

  /** What Flink itself says of the operators of such a job. */
  private static final Pattern OF_FLINK =
      Pattern.compile(
          "current(Emit|Input|Output).*|num(Bytes|Records)(In|Out|Send).*|.*Committables"
              + "|sourceIdleTime|watermarkAlignmentDrift|pendingRecords|pendingBytes");

  /** The operators of the sections of the page. */
  private static final Map<String, Pattern> OPERATORS =
      Map.of(
          "Source: kafka source", Pattern.compile("Source: kafka source"),
          "Source: feed source", Pattern.compile("Source: feed source"),
          "gather S", Pattern.compile("gather translate, grammar-check"),
          "S", Pattern.compile("translate, grammar-check"),
          "scatter S", Pattern.compile("scatter translate, grammar-check"),
          "count S", Pattern.compile("count ngrams"),
          "merge S", Pattern.compile("merge ngrams"),
          "sink N", Pattern.compile("(sink-files|dead-letters) line"));

  @RegisterExtension
  static final Cluster CLUSTER =
      new Cluster(
          Map.of(
              "metrics.reporter.prom.factory.class",
              PrometheusReporterFactory.class.getName(),
              "metrics.reporter.prom.port",
              Integer.toString(PORT),
              "metrics.reporter.prom.filterLabelValueCharacters",
              "false"));

  @TempDir Path folder;
  private JobClient job;

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One metric with its labels. */
  private record Sample(String name, Map<String, String> labels, double value) {
    private static final Pattern LINE = Pattern.compile("(\\w+)\\{(.*)\\} (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    static Sample of(String line) {
      Matcher parts = LINE.matcher(line);
      assertThat(parts.matches()).as(line).isTrue();
      Map<String, String> labels = new TreeMap<>();
      Matcher label = LABEL.matcher(parts.group(2));
      while (label.find()) {
        labels.put(label.group(1), label.group(2));
      }
      return new Sample(parts.group(1), labels, Double.parseDouble(parts.group(3)));
    }
  }

  private static List<Sample> scrape() throws Exception {
    String page =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + PORT + "/metrics")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    return page.lines().filter(line -> line.startsWith(PREFIX)).map(Sample::of).toList();
  }

  /** A job whose source has no end: what is in the folder, and what is moved there. */
  @BeforeEach
  void start() throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    Files.write(in.resolve("first"), List.of("open the door", "x ".repeat(9)));
    Files.write(in.resolve("second"), new byte[] {(byte) 0xFF, '\n'});
    String yaml =
        """
        name: watched
        source: {files: {path: in, watch: 100ms}}
        stages:
          - translate: {model: "%s", beam: 1}
          - grammar-check: {grammar: "%s", max-words: 8}
          - ngrams: {order: 1, window: 1d, sinks: [{files: {path: tables}}]}
        sinks: [{files: {path: out}}]
        dead-letters: {files: {path: dead}}
        checkpoints: {interval: 100ms}
        """
            .formatted(
                ROOT.resolve("examples/models/tatoeba-en-de.lmx"),
                INDEXES.resolve("grammar.lgx").toAbsolutePath());
    JobConfig config = JobConfigReader.read(yaml, "job.yaml", folder);
    job = CLUSTER.start(config);
  }

  @AfterEach
  void stop() throws Exception {
    job.cancel().get();
    CLUSTER.awaitEnd(job.getJobID());
  }

  /** Our metrics that are shown, by their operators. */
  private static Map<String, Set<String>> shown() throws Exception {
    Map<String, Set<String>> names = new TreeMap<>();
    for (Sample sample : scrape()) {
      String name = sample.name().replaceFirst("_count$", "");
      if (!OF_FLINK.matcher(name.substring(PREFIX.length())).matches()) {
        names
            .computeIfAbsent(sample.labels().get("operator_name"), any -> new TreeSet<>())
            .add(name);
      }
    }
    return names;
  }

  /** What the page says of operators. */
  private static Map<String, Set<String>> documented(Set<String> operators) throws IOException {
    Map<String, Set<String>> names = new TreeMap<>();
    String page = Files.readString(ROOT.resolve("docs/metrics.md"));
    for (String section : page.split("\n## ", -1)) {
      Set<String> of =
          LAST_COLUMN
              .matcher(section)
              .results()
              .map(name -> name.group(1))
              .collect(Collectors.toCollection(TreeSet::new));
      if (!of.isEmpty()) {
        Pattern pattern = OPERATORS.get(section.lines().findFirst().orElseThrow());
        operators.stream()
            .filter(operator -> pattern.matcher(operator).matches())
            .forEach(operator -> names.put(operator, of));
      }
    }
    return names;
  }

  private interface Check {
    void run() throws Exception;
  }

  /** Metrics come with the records, and the reporter reads them when it is asked. */
  private static void eventually(Check check) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        check.run();
        return;
      } catch (AssertionError e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
  }

  @Test
  void everyOperatorHasTheMetricsOfThePageAndNoOthers() throws Exception {
    eventually(
        () -> {
          Map<String, Set<String>> shown = shown();
          assertThat(shown.keySet())
              .containsExactlyInAnyOrder(
                  "gather translate, grammar-check",
                  "translate, grammar-check",
                  "scatter translate, grammar-check",
                  "count ngrams",
                  "merge ngrams",
                  "sink-files line",
                  "dead-letters line");
          assertThat(shown).isEqualTo(documented(shown.keySet()));
        });
  }

  /** The sum of all samples with these labels. */
  private static double sum(String name, String operator, String... labels) throws Exception {
    return samples(name, operator, labels).stream().mapToDouble(Sample::value).sum();
  }

  private static List<Sample> samples(String name, String operator, String... labels)
      throws Exception {
    List<Sample> found =
        scrape().stream()
            .filter(sample -> sample.name().equals(PREFIX + name))
            .filter(sample -> sample.labels().get("operator_name").equals(operator))
            .filter(
                sample -> {
                  boolean all = true;
                  for (int i = 0; i < labels.length; i += 2) {
                    all &= labels[i + 1].equals(sample.labels().get(labels[i]));
                  }
                  return all;
                })
            .toList();
    assertThat(found).as(name + " of " + operator).isNotEmpty();
    return found;
  }

  @Test
  void deadLettersAreCountedByStageAndReason() throws Exception {
    eventually(
        () -> {
          String scatter = "scatter translate, grammar-check";
          assertThat(sum("deadLetters", scatter)).isEqualTo(2);
          String name = "stage_reason_deadLetters";
          assertThat(sum(name, scatter, "stage", "read", "reason", "unreadable")).isEqualTo(1);
          assertThat(sum(name, scatter, "stage", "grammar-check", "reason", "refused"))
              .isEqualTo(1);
          assertThat(sum(name, scatter, "stage", "grammar-check", "reason", "timeout")).isZero();
          assertThat(sum(name, scatter, "stage", "translate", "reason", "refused")).isZero();
          assertThat(sum(name, scatter, "stage", "sink", "reason", "too-long")).isZero();
          assertThat(samples(name, scatter)).hasSize(6);
          assertThat(sum("stage_deadLetters", "translate, grammar-check", "stage", "grammar-check"))
              .isEqualTo(1);
        });
  }

  @Test
  void theIndexInUseIsNamedWithItsLengthAgeAndLoadTime() throws Exception {
    eventually(
        () -> {
          String group = "translate, grammar-check";
          Path grammar = INDEXES.resolve("grammar.lgx");
          List<Sample> info =
              samples("stage_version_sha256_indexInfo", group, "stage", "grammar-check");
          assertThat(info).hasSize(1);
          assertThat(info.get(0).value()).isEqualTo(1);
          assertThat(info.get(0).labels())
              .containsEntry("sha256", IndexRefs.of(grammar).sha256())
              .containsKey("version");
          assertThat(sum("stage_indexBytes", group, "stage", "grammar-check"))
              .isEqualTo((double) Files.size(grammar));
          assertThat(sum("stage_indexAge", group, "stage", "translate")).isBetween(1.0, 180.0);
          assertThat(sum("stage_indexLoadTime", group, "stage", "translate"))
              .isBetween(1.0, 180_000.0);
          assertThat(sum("stage_learnedPairs", group, "stage", "translate")).isZero();
        });
  }

  @Test
  void batchesStepsAndLatencyAreMeasured() throws Exception {
    eventually(
        () -> {
          String group = "translate, grammar-check";
          double batches = sum("fill_batches", "gather translate, grammar-check");
          assertThat(batches).isPositive();
          assertThat(sum("batchSize_count", "gather translate, grammar-check")).isEqualTo(batches);
          for (String name : List.of("queueTime", "operatorTime")) {
            assertThat(sum(name + "_count", group)).isEqualTo(batches);
            assertThat(sum("stage_" + name + "_count", group, "stage", "translate"))
                .isEqualTo(batches);
          }
          for (String step : List.of("prepare", "decode", "restore")) {
            assertThat(sum("stage_step_stepTime_count", group, "stage", "translate", "step", step))
                .isBetween(1.0, batches);
          }
          assertThat(sum("inFlight", group)).isZero();
          assertThat(sum("queueDepth", group)).isZero();
          assertThat(sum("stage_gpu", group)).isEqualTo(-2);
          assertThat(sum("stage_gpuMemoryUsed", group)).isEqualTo(-2);
          assertThat(sum("eventTimeLatency_count", "sink-files line")).isEqualTo(1);
          assertThat(sum("ingestionTimeLatency_count", "sink-files line")).isEqualTo(1);
          assertThat(sum("ingestionTimeLatency_count", "dead-letters line")).isEqualTo(2);
          assertThat(sum("eventTimeLatency_count", "dead-letters line")).isEqualTo(1);
          assertThat(sum("ingestionTimeLatency", "sink-files line", "quantile", "0.5"))
              .isBetween(1.0, 180_000.0);
        });
  }
}
