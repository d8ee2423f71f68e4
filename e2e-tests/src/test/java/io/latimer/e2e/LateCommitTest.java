package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A transaction that can no longer be committed ends the job, which says what is missing. */
@Timeout(240)
class LateCommitTest {
  @TempDir Path folder;

  @Test
  void theJobFailsAtOnceAndSaysWhichRecordsMayBeMissing() throws Exception {
    try (Flow flow = Flow.between(folder, 1, 1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", flow.broker().bootstrapServers()))) {
      JobID job = flow.start(Flow.config(yaml(flow, "late-commit", 900_000, "5min"), folder));
      flow.send(1, List.of("one", "two"));
      awaitWritten(admin, 2);
      String transaction = openTransaction(admin);

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
    long timeoutMillis = 10_000;
    try (Flow flow = Flow.between(folder, 1, 1)) {
      JobConfig config = Flow.config(yaml(flow, "long-stop", timeoutMillis, "1s"), folder);
      JobID job = flow.start(config);
      flow.send(1, List.of("one", "two"));
      assertThat(flow.await("out", 2)).hasSize(2);
      flow.send(1, List.of("three"));
      String savepoint = flow.stop(job);

      TimeUnit.MILLISECONDS.sleep(timeoutMillis);
      for (int start = 4; start <= 5; start++) { // and at every further start from it
        JobID again = flow.restore(savepoint, config);
        flow.send(1, List.of("line " + start));
        assertThat(flow.await("out", start)).hasSizeGreaterThanOrEqualTo(start);
        flow.stop(again);
      }
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

  private static String openTransaction(Admin admin) throws Exception {
    ListTransactionsOptions ongoing =
        new ListTransactionsOptions().filterStates(List.of(TransactionState.ONGOING));
    return admin.listTransactions(ongoing).all().get().stream()
        .map(TransactionListing::transactionalId)
        .filter(id -> id.startsWith("late-commit"))
        .findFirst()
        .orElseThrow();
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
