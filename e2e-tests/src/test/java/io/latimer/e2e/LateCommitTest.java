package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A transaction that can no longer be committed ends the job, which says what is missing. */
@Timeout(240)
class LateCommitTest {
  /** A transaction timeout that the tests wait for. */
  private static final long SHORT_MILLIS = 10_000;

  @TempDir Path folder;

  @Test
  void theJobFailsAtOnceAndSaysWhichRecordsMayBeMissing() throws Exception {
    try (Flow flow = Flow.between(folder, 1, 1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", flow.broker().bootstrapServers()))) {
      JobID job = flow.start(Flow.config(yaml(flow, "late-commit", 900_000, "5min"), folder));
      flow.send(1, List.of("one", "two"));
      awaitWritten(admin, 2);
      String transaction = open(admin, "late-commit");

      // what the broker does when the transaction's time is over
      admin.fenceProducers(List.of(transaction)).all().get();
      // whether it completes or the job has failed before
      flow.cluster().triggerCheckpoint(job).exceptionally(failed -> null).get();

      JobResult result = flow.cluster().requestJobResult(job).get();
      assertThat(result.isSuccess()).isFalse();
      assertThat(Failures.messages(result.getSerializedThrowable().orElseThrow()))
          .contains("records may be missing from topic out: sink kafka cannot commit transaction ")
          .contains(transaction)
          .contains("which began after checkpoint ")
          .contains("transaction.timeout.ms");
      assertThat(flow.restarts(job)).isZero();
    }
  }

  /** A stopped job's savepoint holds its last transaction, which was committed after it. */
  @Test
  void aJobThatWasStoppedGoesOnHoweverLongItWasDown() throws Exception {
    try (Flow flow = Flow.between(folder, 1, 1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", flow.broker().bootstrapServers()))) {
      JobConfig config = Flow.config(yaml(flow, "long-stop", SHORT_MILLIS, "1s"), folder);
      JobID job = flow.start(config);
      flow.send(1, List.of("one", "two"));
      assertThat(flow.await("out", 2)).hasSize(2);
      flow.send(1, List.of("three"));
      String savepoint = flow.stop(job);

      awaitTimeOut(flow, admin);
      for (int start = 4; start <= 5; start++) { // and at every further start from it
        JobID again = flow.restore(savepoint, config);
        flow.send(1, List.of("line " + start));
        assertThat(flow.await("out", start)).hasSizeGreaterThanOrEqualTo(start);
        flow.stop(again);
      }
    }
  }

  /** Its records are lost, because the broker has aborted them, and the user has said so. */
  @Test
  void anAcceptedLossIsPassedOver() throws Exception {
    try (Flow flow = Flow.between(folder, 1, 1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", flow.broker().bootstrapServers()))) {
      String yaml = yaml(flow, "accepted", SHORT_MILLIS, "1s");
      JobConfig config = Flow.config(yaml, folder);
      Cancelled cancelled = cancelWithOpenTransaction(flow, admin, config);
      String savepoint = cancelled.savepoint();
      String transaction = cancelled.transaction();
      int lost = cancelled.records();
      awaitAbort(admin, transaction);

      JobID refused = flow.restore(savepoint, config);
      assertThat(failure(flow, refused))
          .contains("records may be missing from topic out: sink kafka cannot commit")
          .contains(transaction)
          .contains("lost-transactions: accept");

      JobID accepted =
          flow.restore(
              savepoint,
              Flow.config(
                  yaml.replace("exactly-once", "exactly-once\n      lost-transactions: accept"),
                  folder));
      flow.send(1, List.of("after"));
      assertThat(flow.await("out", lost)).hasSize(lost);
      flow.stop(accepted);
      List<String> expected =
          new ArrayList<>(IntStream.range(1, lost).mapToObj(i -> "lost " + i).toList());
      expected.add("after");
      Received.assertExactlyOnce(expected, flow.readAll("out"));
    }
  }

  /**
   * A start without state aborts the transaction and uses its id again; the broker does not know
   * which of it was committed.
   */
  @Test
  void afterAStartWithoutStateAnOlderStateIsNotTrusted() throws Exception {
    try (Flow flow = Flow.between(folder, 1, 1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", flow.broker().bootstrapServers()))) {
      JobConfig config =
          Flow.config(
              yaml(flow, "fresh", 900_000, "1s, directory: \"" + folder.resolve("saved") + "\""),
              folder);
      Cancelled cancelled = cancelWithOpenTransaction(flow, admin, config);

      JobID fresh = flow.start(config);
      int before = cancelled.records() - 1;
      int records = before + cancelled.records();
      assertThat(flow.await("out", records)).hasSize(records);
      flow.stop(fresh);

      JobID restored = flow.restore(cancelled.savepoint(), config);
      assertThat(failure(flow, restored))
          .contains("records may be missing from topic out: sink kafka cannot commit")
          .contains(cancelled.transaction())
          .contains("has been started without a state since")
          .contains("lost-transactions: accept");
      assertThat(flow.restarts(restored)).isZero();
    }
  }

  /**
   * A job that was cancelled with a savepoint that has an open transaction.
   *
   * @param records how many were sent; the last is in the transaction, the others are committed
   */
  private record Cancelled(String savepoint, String transaction, int records) {}

  private static Cancelled cancelWithOpenTransaction(Flow flow, Admin admin, JobConfig config)
      throws Exception {
    String savepoint = null;
    for (int record = 1; ; record++) { // unless a checkpoint came between
      JobID job = savepoint == null ? flow.start(config) : flow.restore(savepoint, config);
      flow.send(1, List.of("lost " + record));
      while (open(admin, config.name()) == null) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      savepoint = flow.cancel(job);
      String transaction = open(admin, config.name());
      if (transaction != null) {
        return new Cancelled(savepoint, transaction, record);
      }
    }
  }

  private static String failure(Flow flow, JobID job) throws Exception {
    return Failures.messages(
        flow.cluster().requestJobResult(job).get().getSerializedThrowable().orElseThrow());
  }

  /** Waits until the broker has aborted a transaction that is younger than the job's last one. */
  private static void awaitTimeOut(Flow flow, Admin admin) throws Exception {
    try (KafkaProducer<byte[], byte[]> younger =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                flow.broker().bootstrapServers(),
                "transactional.id",
                "younger",
                "transaction.timeout.ms",
                String.valueOf(SHORT_MILLIS)),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      younger.initTransactions();
      younger.beginTransaction();
      younger.send(new ProducerRecord<>("dead", new byte[] {1})).get();
      awaitAbort(admin, "younger");
    }
  }

  private static void awaitAbort(Admin admin, String transaction) throws Exception {
    while (admin.describeTransactions(List.of(transaction)).description(transaction).get().state()
        != TransactionState.COMPLETE_ABORT) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Waits until the topic has so many records, committed or not. */
  private static void awaitWritten(Admin admin, long records) throws Exception {
    TopicPartition out = new TopicPartition("out", 0);
    while (admin.listOffsets(Map.of(out, OffsetSpec.latest())).partitionResult(out).get().offset()
        < records) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** A job's open transaction, or null. */
  private static String open(Admin admin, String job) throws Exception {
    ListTransactionsOptions ongoing =
        new ListTransactionsOptions().filterStates(List.of(TransactionState.ONGOING));
    return admin.listTransactions(ongoing).all().get().stream()
        .map(TransactionListing::transactionalId)
        .filter(id -> id.startsWith(job + ":"))
        .findFirst()
        .orElse(null);
  }

  private static String yaml(Flow flow, String job, long timeoutMillis, String interval) {
    return """
        name: %2$s
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [in], start: earliest}
        stages: [identity: {}]
        sinks:
          - kafka:
              bootstrap-servers: "%1$s"
              topic: out
              delivery: exactly-once
              properties: {transaction.timeout.ms: %3$d}
        dead-letters: fail
        checkpoints: {interval: %4$s, timeout: 8s}
        """
        .formatted(flow.broker().bootstrapServers(), job, timeoutMillis, interval);
  }
}
