package io.latimer.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.e2e.SecuredBroker;
import io.latimer.kafka.EmbeddedKafka;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The content of the image, with the settings, the job file and the topics of the manifests, in
 * processes on loopback. Runs with {@code -Pcluster}, which puts the image together.
 */
@Tag("cluster")
class ClusterTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Path ROOT = Path.of(System.getProperty("latimer.root")).toAbsolutePath();
  private static final String IN = "sentences.en";
  private static final String OUT = "sentences.de";
  private static final String DEAD = "sentences.dead-letters";

  /** Metrics of stages that make tables, and of live feeds, which this job does not have. */
  private static final Set<String> OF_OTHER_JOBS =
      Set.of(
          "flink_taskmanager_job_task_operator_lateRecords",
          "flink_taskmanager_job_task_operator_feedItems",
          "flink_taskmanager_job_task_operator_feedRetries");

  /** Labels that a scrape adds. */
  private static final Set<String> OF_PROMETHEUS = Set.of("job", "namespace");

  // the logs of failed runs are kept
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  private final Map<String, Integer> read = new HashMap<>();
  private int sent;

  @Test
  @Timeout(1200)
  void theImageTranslatesThroughKillsAndAnUpgrade() throws Exception {
    Image image = Image.require();
    try (SecuredBroker secured = new SecuredBroker(folder);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", secured.kafka().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        KafkaConsumer<byte[], byte[]> consumer =
            CommittedReader.consumer(secured.kafka().bootstrapServers())) {
      createTopics(secured.kafka());
      CommittedReader.assignAll(consumer, List.of(OUT, DEAD));
      Path job = jobFile(secured);
      Map<String, String> secrets = Map.of("KAFKA_PASSWORD", SecuredBroker.PASSWORD);
      try (ImageCluster cluster = new ImageCluster(folder, image, job, secrets)) {
        cluster.start(List.of());
        send(producer, 100);
        awaitAll(cluster, consumer);
        assertStoredWithout(SecuredBroker.PASSWORD, cluster.state().resolve("ha/image-1"));
        Map<String, Set<String>> labels = labelsOf(cluster.metrics());
        for (String expression : Image.expressions()) {
          assertServed(expression, labels);
        }
        assertThat(commandLine(cluster.taskManagers().get(0)))
            .contains("-XX:MaxDirectMemorySize=")
            .contains("--add-opens=java.base/java.util=ALL-UNNAMED");

        send(producer, 100);
        for (ChildProcess taskManager : cluster.taskManagers()) {
          taskManager.kill();
          taskManager.start();
        }
        awaitAll(cluster, consumer);

        send(producer, 100);
        cluster.jobManager().kill();
        cluster.jobManager().start();
        awaitAll(cluster, consumer);

        upgrade(cluster, producer);
        awaitAll(cluster, consumer);

        cluster.stop();
        assertThat(cluster.jobManager().await()).isZero();
        for (ChildProcess taskManager : cluster.taskManagers()) {
          assertThat(taskManager.end()).as(taskManager.name() + " ends by SIGTERM").isTrue();
          assertThat(taskManager.log()).doesNotContain(SecuredBroker.PASSWORD);
        }
        assertThat(cluster.jobManager().log()).doesNotContain(SecuredBroker.PASSWORD);
      }
      poll(consumer);
      assertThat(read).hasSize(sent);
      assertThat(read.values()).as("times that each record was read").containsOnly(1);
    }
  }

  /** As the operator upgrades: with a savepoint, new processes, and records coming meanwhile. */
  private void upgrade(ImageCluster cluster, KafkaProducer<byte[], byte[]> producer)
      throws Exception {
    send(producer, 50);
    String savepoint = cluster.stop();
    assertThat(Path.of(URI.create(savepoint)).getParent())
        .isEqualTo(cluster.state().resolve("savepoints"));
    assertThat(cluster.jobManager().await()).isZero();
    for (ChildProcess taskManager : cluster.taskManagers()) {
      taskManager.end();
    }
    send(producer, 50);
    cluster.start(List.of("--fromSavepoint", savepoint));
  }

  private static void createTopics(EmbeddedKafka broker) throws IOException {
    for (Map<String, Object> topic : Image.topics()) {
      Map<String, Object> spec = Image.map(topic.get("spec"));
      Map<String, String> settings = new HashMap<>();
      Image.map(spec.get("config")).forEach((key, value) -> settings.put(key, value.toString()));
      settings.put("min.insync.replicas", "1"); // there is one broker
      broker.createTopic(
          (String) Image.map(topic.get("metadata")).get("name"),
          (Integer) spec.get("partitions"),
          settings);
    }
  }

  /** The job file of the manifests, with this broker, this folder, and the model in examples/. */
  private Path jobFile(SecuredBroker broker) throws IOException {
    Map<String, Object> job = Image.yaml(Image.jobFile());
    connect(job, broker);
    Map<String, Object> stage =
        Image.map(Image.map(((List<?>) job.get("stages")).get(0)).get("translate"));
    stage.put("model", ROOT.resolve("examples/models/tatoeba-en-de.lmx").toString());
    Image.map(job.get("checkpoints"))
        .put("directory", folder.resolve("state/checkpoints").toUri().toString());
    // JSON is YAML
    return Files.writeString(
        folder.resolve("job.yaml"), new ObjectMapper().writeValueAsString(job));
  }

  /** Only the address and the place of the certificate are others. */
  private static void connect(Object part, SecuredBroker broker) {
    if (part instanceof List<?> items) {
      items.forEach(item -> connect(item, broker));
    } else if (part instanceof Map) {
      Map<String, Object> keys = Image.map(part);
      keys.replace("bootstrap-servers", broker.servers());
      keys.replace("ssl.truststore.location", broker.certificate().toString());
      keys.values().forEach(value -> connect(value, broker));
    }
  }

  private void send(KafkaProducer<byte[], byte[]> producer, int count) throws Exception {
    List<String> lines = Files.readAllLines(ROOT.resolve("examples/feeds/everyday.en.txt"));
    List<Future<RecordMetadata>> written = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      written.add(
          producer.send(
              new ProducerRecord<>(
                  IN,
                  sent % 4,
                  Integer.toString(sent).getBytes(StandardCharsets.UTF_8),
                  lines.get(sent % lines.size()).getBytes(StandardCharsets.UTF_8))));
      sent++;
    }
    for (Future<RecordMetadata> one : written) {
      one.get();
    }
  }

  /** Polls until every record has come out; duplicates are counted at the end. */
  private void awaitAll(ImageCluster cluster, KafkaConsumer<byte[], byte[]> consumer)
      throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (read.size() < sent) {
      poll(consumer);
      if (System.nanoTime() > end || !cluster.jobManager().isAlive()) {
        throw new IllegalStateException(
            read.size()
                + " of "
                + sent
                + " records have been read; the job manager "
                + (cluster.jobManager().isAlive() ? "runs" : "has ended")
                + ", and its log ends with:\n"
                + last(cluster.jobManager().log()));
      }
    }
  }

  private static String last(String text) {
    return text.substring(Math.max(0, text.length() - 4000));
  }

  private void poll(KafkaConsumer<byte[], byte[]> consumer) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
      assertThat(record.topic()).isEqualTo(OUT);
      read.merge(new String(record.key(), StandardCharsets.UTF_8), 1, Integer::sum);
    }
  }

  /**
   * That the metrics of an expression are served, with the labels that it compares and groups by.
   */
  private static void assertServed(String expression, Map<String, Set<String>> served) {
    Set<String> metrics = matches("\\b(flink_\\w+)", expression);
    assertThat(metrics).as(expression).isNotEmpty();
    metrics.removeAll(OF_OTHER_JOBS);
    assertThat(served.keySet()).as(expression).containsAll(metrics);
    Set<String> labels = new TreeSet<>();
    for (String list : matches("(?:by|on) \\(([^)]*)\\)", expression)) {
      labels.addAll(List.of(list.split(", *")));
    }
    labels.removeAll(OF_PROMETHEUS);
    Set<String> values = matches("(\\w+=\"[^\"$]+\")", expression);
    values.removeIf(value -> OF_PROMETHEUS.contains(value.replaceFirst("=.*", "")));
    for (String metric : metrics) {
      assertThat(served.get(metric)).as(expression).containsAll(labels);
    }
    Set<String> all = new TreeSet<>();
    metrics.forEach(metric -> all.addAll(served.get(metric)));
    if (!metrics.isEmpty()) {
      assertThat(all).as(expression).containsAll(values);
    }
  }

  /** By metric, its labels, and its labels with their values. */
  private static Map<String, Set<String>> labelsOf(String metrics) {
    Map<String, Set<String>> labels = new HashMap<>();
    Pattern.compile("(?m)^(flink_\\w+)(?:\\{(.*)})? ")
        .matcher(metrics)
        .results()
        .forEach(
            line -> {
              Set<String> own = labels.computeIfAbsent(line.group(1), name -> new TreeSet<>());
              String all = String.valueOf(line.group(2));
              own.addAll(matches("(\\w+)=\"", all));
              own.addAll(matches("(\\w+=\"[^\"]*\")", all));
            });
    return labels;
  }

  private static Set<String> matches(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** That the job that the job manager has stored refers to the secret only. */
  private static void assertStoredWithout(String secret, Path highAvailability) throws IOException {
    List<Path> jobs = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(highAvailability, "submittedExecutionPlan*")) {
      files.forEach(jobs::add);
    }
    assertThat(jobs).hasSize(1);
    assertThat(Files.readString(jobs.get(0), StandardCharsets.ISO_8859_1))
        .contains("${env:KAFKA_PASSWORD}")
        .doesNotContain(secret);
  }

  private static String commandLine(ChildProcess process) throws IOException {
    return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
  }
}
