package io.latimer.e2e.chaos;

import io.latimer.e2e.JobJar;
import io.latimer.kafka.EmbeddedKafka;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** The broker, the cluster, the running job, its feeder and its reader. */
final class ChaosWorld implements AutoCloseable {
  static final String JOB = "chaos";
  static final String OUT = "out";
  static final int OUT_MOST_BYTES = 4 << 20;

  private static final String IN = "in";
  private static final String DEAD = "dead";
  private static final String TABLES = "tables";
  private static final int IN_PARTITIONS = 4;
  private static final int TASK_MANAGERS = 2;

  /** Longer than a batch waits to be filled, so that there is always one in flight. */
  private static final int BATCH_MILLIS = 150;

  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private final ChaosPlan plan;
  private final Path folder;
  private final Ledger ledger = new Ledger();
  private final List<String> endedByThemselves = new ArrayList<>();
  private final InFlight inFlight;
  private final Optional<SteppedClock> clock;
  private final CheckpointDisk disk;
  private final FlinkCluster cluster;
  private EmbeddedKafka broker;
  private Transactions transactions;
  private JobClient job;
  private Feeder feeder;
  private CommittedReader reader;
  private Commander commander;

  /** Starts everything, and returns when the first records have been read. */
  ChaosWorld(Path folder, ChaosPlan plan) throws Exception {
    this.plan = plan;
    this.folder = folder;
    inFlight = new InFlight(folder.resolve("in-flight"));
    clock = plan.steppedClock() ? SteppedClock.build(folder) : Optional.empty();
    disk = new CheckpointDisk(folder.resolve("checkpoints"));
    cluster = new FlinkCluster(folder, environment());
    try {
      start();
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private Map<String, String> environment() {
    return clock.map(SteppedClock::environment).orElse(Map.of());
  }

  private void start() throws Exception {
    Path jar = JobJar.require();
    cluster.start(TASK_MANAGERS);
    // a killed broker is missed sooner than by default
    broker =
        EmbeddedKafka.start(
            Map.of("broker.session.timeout.ms", "3000", "broker.heartbeat.interval.ms", "500"));
    Map<String, String> big = Map.of("max.message.bytes", Integer.toString(OUT_MOST_BYTES));
    broker.createTopic(IN, IN_PARTITIONS, big);
    broker.createTopic(OUT, 2, big);
    broker.createTopic(DEAD, 1, big);
    broker.createTopic(TABLES, 1);
    broker.createTopic(Commander.CONTROL, 1);
    broker.createTopic(Commander.STATUS, 1);
    transactions = new Transactions(broker.bootstrapServers());
    List<Path> indexes = Commander.writeIndexes(folder);
    Path file = Files.writeString(folder.resolve("chaos.yaml"), jobFile());
    job =
        new JobClient(
            folder,
            cluster,
            jar,
            List.of(file.toString(), inFlight.folder().toString(), Integer.toString(BATCH_MILLIS)));
    awaitCluster();
    job.submit(List.of());
    feeder = new Feeder(broker.bootstrapServers(), IN, IN_PARTITIONS, ledger);
    reader = new CommittedReader(broker.bootstrapServers(), List.of(OUT, DEAD), DEAD, ledger);
    long start = System.nanoTime();
    feeder.start(plan.rate());
    commander = new Commander(broker.bootstrapServers(), indexes, plan.seed());
    awaitRecovery(start);
  }

  private String jobFile() {
    return """
    name: %8$s
    source:
      kafka: {bootstrap-servers: "%1$s", topics: [%2$s], start: earliest}
    input: {max-record-bytes: 2000000}
    event-time: {out-of-orderness: 1s, idleness: 5s}
    batch: {max-records: 512, max-tokens: 100000, max-wait: 100ms, timeout: 8s}
    stages:
      - identity: {}
      - %9$s
      - ngrams:
          unit: words
          order: 1
          window: 2s
          running: true
          sinks: [kafka: {bootstrap-servers: "%1$s", topic: %5$s}]
    sinks:
      - kafka:
          bootstrap-servers: "%1$s"
          topic: %3$s
          properties: {max.request.size: %7$d}
    dead-letters:
      kafka: {bootstrap-servers: "%1$s", topic: %4$s, properties: {max.request.size: %7$d}}
    %10$sparallelism: 3
    checkpoints: {interval: 1s, timeout: 1min, directory: "%6$s"}
    restarts: {attempts: 1000000, delay: 500ms}
    engine: {state.backend.type: rocksdb, execution.checkpointing.incremental: true}
    """
        .formatted(
            broker.bootstrapServers(),
            IN,
            OUT,
            DEAD,
            TABLES,
            disk.folder().toUri(),
            OUT_MOST_BYTES,
            JOB,
            Commander.stage(folder),
            Commander.control(broker.bootstrapServers(), folder));
  }

  ChaosPlan plan() {
    return plan;
  }

  Ledger ledger() {
    return ledger;
  }

  FlinkCluster cluster() {
    return cluster;
  }

  EmbeddedKafka broker() {
    return broker;
  }

  Transactions transactions() {
    return transactions;
  }

  Feeder feeder() {
    return feeder;
  }

  CommittedReader reader() {
    return reader;
  }

  CommandLedger commands() {
    return commander.ledger();
  }

  /** The number of the job's tasks that run in a task manager; 0 if the cluster does not say. */
  int tasksIn(ChildProcess taskManager) throws Exception {
    return job.tasksIn(FlinkCluster.id(taskManager));
  }

  /** The processes that ended without being killed, and were started again. */
  List<String> endedByThemselves() {
    return List.copyOf(endedByThemselves);
  }

  CheckpointDisk disk() {
    return disk;
  }

  Optional<SteppedClock> clock() {
    return clock;
  }

  boolean isBatchOpen() throws IOException {
    return inFlight.isOpen(cluster.taskManagerPids());
  }

  boolean isTransactionOpen() throws InterruptedException {
    return transactions.isAnyOpen();
  }

  /** Submits the job to a new cluster, from its newest checkpoint. */
  void resubmit() throws Exception {
    Path newest = FlinkCluster.newestCheckpoint(disk.folder());
    awaitCluster();
    job.submit(List.of("-s", newest.toUri().toString()));
  }

  private void awaitCluster() throws Exception {
    await("task managers", () -> job.taskManagers() >= TASK_MANAGERS);
  }

  /** Waits until a record has been read that was sent after a time. */
  void awaitRecovery(long since) throws Exception {
    await("a record that was sent after the fault", () -> ledger.sawSentAfter(since));
  }

  /** Waits until a record has been read. */
  void awaitRecord(int id) throws Exception {
    await("record " + id, () -> ledger.saw(id));
  }

  /** What is waited for. */
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Waits, restarts what has died meanwhile, and fails once the job has ended. */
  void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (int i = 0; !condition.holds(); i++) {
      if (reader != null) {
        reader.requireWell();
      }
      if (commander != null) {
        commander.requireWell();
      }
      if (i % 20 == 19) {
        endedByThemselves.addAll(cluster.revive());
        if (job.hasEnded()) {
          throw new IllegalStateException(
              "the job has ended as " + job.state() + ": " + job.lastFailure());
        }
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException(
            "waited "
                + PATIENCE
                + " for "
                + what
                + "; the job is "
                + job.state()
                + ", and its last failure was: "
                + job.lastFailure());
      }
      Thread.sleep(50);
    }
  }

  /** Stops sending, waits until nothing more comes, and stops the job with everything written. */
  void drain() throws Exception {
    await("a command of each kind", commander.ledger()::hasAllKinds);
    commander.finish();
    await("the last commands", () -> commander.ledger().underWay().isEmpty());
    feeder.finish();
    Duration quiet = Duration.ofSeconds(20);
    long[] last = {ledger.seen(), System.nanoTime()};
    await(
        "the last records",
        () -> {
          if (ledger.seen() != last[0]) {
            last[0] = ledger.seen();
            last[1] = System.nanoTime();
          }
          return ledger.seen() == ledger.sent() || System.nanoTime() - last[1] > quiet.toNanos();
        });
    job.stopDrained(folder.resolve("savepoints"));
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!job.hasEnded() && System.nanoTime() < end) {
      Thread.sleep(50);
    }
    if (!job.state().equals("FINISHED")) {
      throw new IllegalStateException(
          "the job did not stop, but is " + job.state() + ": " + job.lastFailure());
    }
    while (!reader.isAtEnd() && System.nanoTime() < end) {
      Thread.sleep(50);
    }
    if (!reader.isAtEnd()) {
      throw new IllegalStateException(
          "a reader of committed records does not come to the end of the topics; open"
              + " transactions: "
              + transactions.open());
    }
  }

  /** The last running table. */
  NgramTable lastRunningTable() throws RecordFormatException {
    RecordCodec<NgramTable> codec = RecordCodec.of(NgramTable.class);
    NgramTable last = null;
    try (KafkaConsumer<byte[], byte[]> consumer =
        CommittedReader.consumer(broker.bootstrapServers())) {
      TopicPartition partition =
          CommittedReader.assignAll(consumer, List.of(TABLES)).iterator().next();
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          NgramTable table = codec.decode(record.value());
          last = table.getRunning() ? table : last;
        }
      }
    }
    if (last == null) {
      throw new IllegalStateException("topic " + TABLES + " has no running table");
    }
    return last;
  }

  @Override
  public void close() throws IOException {
    if (feeder != null) {
      feeder.close();
    }
    if (reader != null) {
      reader.close();
    }
    if (commander != null) {
      commander.close();
    }
    if (transactions != null) {
      transactions.close();
    }
    cluster.close();
    if (broker != null) {
      broker.close();
    }
    disk.close();
  }
}
