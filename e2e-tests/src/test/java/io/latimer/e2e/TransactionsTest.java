package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.sink.SinkConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The transactions of jobs, and of those that are dead. */
@Timeout(240)
class TransactionsTest {
  @TempDir Path folder;
  private Flow flow;
  private Admin admin;

  @BeforeEach
  void start() throws Exception {
    flow = new Flow(folder);
    flow.topic("in", 1);
    flow.topic("out", 1);
    admin = Admin.create(Map.of("bootstrap.servers", flow.broker().bootstrapServers()));
  }

  @AfterEach
  void stop() throws Exception {
    admin.close();
    flow.close();
  }

  /** Many topics of dead letters are created by their first record. */
  @Test
  void aTopicMayBeMissingUntilItIsWrittenTo() throws Exception {
    JobID id = flow.start(flow.job("identity: {}", 1));
    flow.send(1, lines(0, 1));
    assertThat(flow.await("out", 1)).hasSize(1);
    flow.topic("dead", 1);
    flow.send(new ProducerRecord<>("in", new byte[] {(byte) 0xFF}));
    assertThat(flow.await("dead", 1)).hasSize(1);
    assertThat(flow.restarts(id)).isZero();
    flow.stop(id);
  }

  private static String prefix(JobConfig job) {
    return ((SinkConfig.Kafka) job.sinks().get(0)).transactionalIdPrefix();
  }

  /** A producer that wrote to topic {@code out} and did not commit. */
  private KafkaProducer<byte[], byte[]> open(String transactionalId) throws Exception {
    KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                flow.broker().bootstrapServers(),
                "transactional.id",
                transactionalId,
                "transaction.timeout.ms",
                "900000"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    producer.initTransactions();
    producer.beginTransaction();
    producer.send(new ProducerRecord<>("out", new byte[] {1})).get();
    producer.flush();
    return producer;
  }

  private TransactionState state(String transactionalId) throws Exception {
    return admin
        .describeTransactions(List.of(transactionalId))
        .description(transactionalId)
        .get()
        .state();
  }

  private static List<String> lines(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "line " + i).toList();
  }

  @Test
  void aDeadJobsTransactionsAreAbortedThoseOfOthersAreNotAndIdsAreUsedAgain() throws Exception {
    JobConfig job = flow.job("identity: {}", 1);
    String prefix = prefix(job);
    // a process that was killed, and the next sink of the same job
    String dead = prefix + "-0-7";
    String other = prefix.substring(0, prefix.length() - 1) + "2:-0-0";
    open(dead).close(Duration.ZERO); // without time to abort
    assertThat(state(dead)).isEqualTo(TransactionState.ONGOING);
    try (KafkaProducer<byte[], byte[]> alive = open(other)) {
      flow.send(1, lines(0, 1));
      JobID id = flow.start(job);
      for (int i = 1; flow.checkpoints(id).getNumberOfCompletedCheckpoints() < 12; i++) {
        flow.send(1, lines(i, i + 1)); // every checkpoint has something to commit
        Thread.sleep(50);
      }
      assertThat(state(dead)).isNotEqualTo(TransactionState.ONGOING);
      assertThat(state(other)).isEqualTo(TransactionState.ONGOING);
      alive.commitTransaction();
      flow.stop(id);
    }
    assertThat(flow.readAll("out")).hasSizeGreaterThan(12);
    List<String> ids =
        admin.listTransactions().all().get().stream()
            .map(TransactionListing::transactionalId)
            .filter(name -> name.startsWith(prefix))
            .toList();
    // one is written to, those before it are being committed; 12 checkpoints had 12 before
    assertThat(ids).hasSizeBetween(2, 6);
  }

  /** What the old delivery had written and not committed is committed, and readers see it. */
  @Test
  void aSinkThatNowDeliversAtLeastOnceCommitsWhatItsStateHas() throws Exception {
    JobConfig transactional = delivering("exactly-once");
    flow.send(1, lines(0, 100));
    JobID first = flow.start(transactional);
    while (ongoing(prefix(transactional)).isEmpty()) {
      Thread.sleep(20);
    }
    String savepoint = flow.cancel(first);

    flow.send(1, lines(100, 150));
    JobID second = flow.restore(savepoint, delivering("at-least-once"));
    assertThat(flow.await("out", 150)).hasSize(150);
    flow.stop(second);
    Received.assertExactlyOnce(lines(0, 150), flow.readAll("out"));
  }

  private JobConfig delivering(String delivery) {
    String yaml =
        """
        name: delivering
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [in], start: earliest}
        stages: [identity: {}]
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: out, delivery: %2$s}
        dead-letters: fail
        checkpoints: {interval: 5min}
        restarts: {attempts: 0}
        """
            .formatted(flow.broker().bootstrapServers(), delivery);
    return Flow.config(yaml, folder);
  }

  private List<String> ongoing(String prefix) throws Exception {
    return admin.listTransactions().all().get().stream()
        .filter(one -> one.state() == TransactionState.ONGOING)
        .map(TransactionListing::transactionalId)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }
}
