package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.pipelines.flink.ChaosJob;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.checkpoint.CheckpointStatsCounts;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.util.MiniClusterPipelineExecutorServiceLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Topics on a real broker, a mini cluster of two task managers, and jobs from job files between
 * them.
 */
final class Flow implements AutoCloseable {
  private static final Duration STATISTICS = Duration.ofSeconds(30);
  static final Path ROOT = Path.of(System.getProperty("latimer.root")).toAbsolutePath();
  static final Path MODEL = ROOT.resolve("examples/models/tatoeba-en-de.lmx");

  private final InMemoryReporter metrics = InMemoryReporter.createWithRetainedMetrics();

  /** Tests share a broker, but no transactions and no consumer groups: these have a job's name. */
  private static final AtomicInteger FLOWS = new AtomicInteger();

  private final int number = FLOWS.incrementAndGet();
  private final Path folder;
  private final Topics topics;
  private final MiniCluster cluster;

  Flow(Path folder) throws Exception {
    this.folder = folder;
    topics = new Topics();
    cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(metrics.addToConfiguration(new Configuration()))
                .setHaServices(MiniCluster.HaServices.WITH_LEADERSHIP_CONTROL)
                .setNumTaskManagers(2)
                .setNumSlotsPerTaskManager(2)
                .withRandomPorts()
                .build());
    cluster.start();
  }

  /** With topics {@code in} and {@code out} of a number of partitions, and {@code dead} of one. */
  static Flow between(Path folder, int in, int out) throws Exception {
    Flow flow = new Flow(folder);
    flow.topic("in", in);
    flow.topic("out", out);
    flow.topic("dead", 1);
    return flow;
  }

  EmbeddedKafka broker() {
    return topics.broker();
  }

  /** The largest value of a gauge or counter among the operators of a job whose names match. */
  long largest(JobID job, String operator, String metric) {
    return values(job, operator, metric).stream().max(Long::compare).orElse(Long.MIN_VALUE);
  }

  /** The values of a gauge or counter of all subtasks of the operators whose names match. */
  List<Long> values(JobID job, String operator, String metric) {
    return metrics.findOperatorMetricGroups(job, operator).stream()
        .map(group -> metrics.getMetricsByGroup(group).get(metric))
        .map(Flow::value)
        .sorted()
        .toList();
  }

  /** The metrics of a job whose names match, by name; those that were withdrawn stay. */
  Map<String, Metric> metrics(JobID job, String pattern) {
    return metrics.findMetrics(job, pattern);
  }

  /** How often a job was restarted by its master. */
  long restarts(JobID job) {
    return metrics.findJobMetricGroups(job, "numRestarts").stream()
        .mapToLong(found -> value(found.f2))
        .max()
        .orElse(0);
  }

  /** When the current job master had the job running, in milliseconds since 1970. */
  long running(JobID job) throws Exception {
    return cluster.getExecutionGraph(job).get().getStatusTimestamp(JobStatus.RUNNING);
  }

  /**
   * How many checkpoints of a job are of each kind. Flink may answer with the numbers of a moment
   * before: it does not wait for a coordinator that is at work.
   */
  CheckpointStatsCounts checkpoints(JobID job) throws Exception {
    return cluster.getExecutionGraph(job).get().getCheckpointStatsSnapshot().getCounts();
  }

  /** Waits until a job has completed or restored more checkpoints than a number. */
  void awaitCheckpoints(JobID job, ToLongFunction<CheckpointStatsCounts> kind, long beyond)
      throws Exception {
    long deadline = System.nanoTime() + STATISTICS.toNanos();
    while (kind.applyAsLong(checkpoints(job)) <= beyond && System.nanoTime() - deadline < 0) {
      Thread.sleep(20);
    }
    assertThat(kind.applyAsLong(checkpoints(job))).isGreaterThan(beyond);
  }

  private static long value(Metric metric) {
    if (metric instanceof Counter counter) {
      return counter.getCount();
    }
    return metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number value
        ? value.longValue()
        : Long.MIN_VALUE;
  }

  MiniCluster cluster() {
    return cluster;
  }

  /** Kills both task managers, so that nothing is left in memory, and starts others. */
  void replaceTaskManagers() throws Exception {
    for (int manager = 0; manager < 2; manager++) {
      cluster.terminateTaskManager(manager).get();
    }
    for (int manager = 0; manager < 2; manager++) {
      cluster.startTaskManager();
    }
  }

  void topic(String name, int partitions) throws Exception {
    topics.create(name, partitions);
  }

  void topic(String name, int partitions, Map<String, String> settings) throws Exception {
    topics.create(name, partitions, settings);
  }

  /**
   * A job file from topic {@code in} to topic {@code out}, exactly once, dead letters to topic
   * {@code dead}.
   *
   * @param stage the YAML of its one stage, on one line
   * @param more further top-level keys
   */
  JobConfig job(String stage, int parallelism, String... more) {
    String servers = broker().bootstrapServers();
    String yaml =
        """
        name: e2e-%5$d
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [in], start: earliest}
        stages:
          - %2$s
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: out, delivery: exactly-once}
        dead-letters:
          kafka: {bootstrap-servers: "%1$s", topic: dead, delivery: exactly-once}
        parallelism: %3$d
        checkpoints: {interval: 300ms, directory: "%4$s"}
        restarts: {attempts: 20, delay: 200ms}
        """
                .formatted(
                    servers, stage, parallelism, folder.resolve("checkpoints").toUri(), number)
            + String.join("\n", more)
            + "\n";
    return JobConfigReader.read(yaml, "e2e.yaml", folder);
  }

  /** A job file whose paths are below a folder. */
  static JobConfig config(String yaml, Path folder) {
    return JobConfigReader.read(yaml, "e2e.yaml", folder);
  }

  static String translate(Path model, String settings) {
    return "translate: {model: \"" + model + "\"" + settings + "}";
  }

  JobID start(JobConfig config) throws Exception {
    return environment(config, Map.of()).executeAsync(config.name()).getJobID();
  }

  /** Starts a job whose stages take some time for each batch. */
  JobID start(JobConfig config, Duration batch) throws Exception {
    StreamExecutionEnvironment env = environment(Map.of());
    ChaosJob.build(env, config, folder.toString(), batch.toMillis());
    return env.executeAsync(config.name()).getJobID();
  }

  JobID restore(String savepoint, JobConfig config) throws Exception {
    return environment(config, Map.of(StateRecoveryOptions.SAVEPOINT_PATH.key(), savepoint))
        .executeAsync(config.name())
        .getJobID();
  }

  /** Stops a job with a savepoint, which commits what it has written. */
  String stop(JobID job) throws Exception {
    return cluster
        .stopWithSavepoint(
            job,
            folder.resolve("savepoints").toUri().toString(),
            false,
            SavepointFormatType.CANONICAL)
        .get();
  }

  /** Cancels a job with a savepoint, which commits nothing. */
  String cancel(JobID job) throws Exception {
    String savepoint =
        cluster
            .triggerSavepoint(
                job,
                folder.resolve("savepoints").toUri().toString(),
                true,
                SavepointFormatType.CANONICAL)
            .get();
    cluster.requestJobResult(job).get();
    return savepoint;
  }

  /** Cancels the running jobs and waits for them to end. */
  void cancelAll() throws Exception {
    for (JobStatusMessage job : cluster.listJobs().get()) {
      if (!job.getJobState().isGloballyTerminalState()) {
        cluster.cancelJob(job.getJobId()).get();
        cluster.requestJobResult(job.getJobId()).get();
      }
    }
  }

  /** Sends lines to topic {@code in}, over its partitions in turn. */
  void send(int partitions, List<String> lines) throws Exception {
    topics.send("in", partitions, lines);
  }

  void send(ProducerRecord<byte[], byte[]> record) throws Exception {
    topics.send(List.of(record));
  }

  void sendAll(List<ProducerRecord<byte[], byte[]>> records) throws Exception {
    topics.send(records);
  }

  /** Reads committed records of a topic until there are enough, or a timeout. */
  List<ConsumerRecord<byte[], byte[]>> await(String topic, int count) {
    return topics.await(topic, count);
  }

  /** Reads all records committed to a topic so far. */
  List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
    return topics.readAll(topic);
  }

  /**
   * Runs a job with two task managers or more over the feed, kills one of them, and checks that
   * topic {@code out} has each sentence exactly once.
   */
  void runAcrossKill(JobConfig config) throws Exception {
    JobID job = start(config);
    List<String> sentences = feed();
    send(2, sentences.subList(0, 150));
    await("out", 20);

    cluster.terminateTaskManager(1).get();
    cluster.startTaskManager();
    send(2, sentences.subList(150, sentences.size()));

    assertThat(await("out", sentences.size())).hasSizeGreaterThanOrEqualTo(sentences.size());
    assertThat(restarts(job)).isPositive();
    stop(job);
    Received.assertExactlyOnce(sentences, readAll("out"));
  }

  private StreamExecutionEnvironment environment(JobConfig config, Map<String, String> settings) {
    StreamExecutionEnvironment env = environment(settings);
    TranslationJob.build(env, config);
    return env;
  }

  private StreamExecutionEnvironment environment(Map<String, String> settings) {
    return new StreamExecutionEnvironment(
        new MiniClusterPipelineExecutorServiceLoader(cluster),
        MiniClusterPipelineExecutorServiceLoader.updateConfigurationForMiniCluster(
            Configuration.fromMap(settings), List.of(), List.of()),
        getClass().getClassLoader());
  }

  /** The sentences of the example feed. */
  static List<String> feed() throws Exception {
    return Files.readAllLines(ROOT.resolve("examples/feeds/everyday.en.txt")).stream()
        .filter(line -> !line.isBlank())
        .toList();
  }

  @Override
  public void close() {
    cluster.closeAsync().join();
    topics.close();
  }
}
