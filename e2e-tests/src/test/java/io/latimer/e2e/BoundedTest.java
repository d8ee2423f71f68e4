package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointStatsCounts;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A bounded job delivers every record once, though it runs longer than its transactions may live
 * and some of its subtasks have ended long before: one has no partition, one a short one.
 */
@Timeout(240)
class BoundedTest {
  private static final int LONG_PARTITION = 60;
  private static final int SHORT_PARTITION = 5;

  /** A consumer gets one record in this time: each is a batch of its own, and more is awaited. */
  private static final Duration FETCH = Duration.ofMillis(250);

  private static final Duration TRANSACTION = Duration.ofSeconds(12);

  @TempDir Path folder;

  @Test
  void everyRecordArrivesOnce() throws Exception {
    try (Flow flow = Flow.between(folder, 2, 1)) {
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < LONG_PARTITION; i++) {
        sent.add(send(flow, 0, i));
        if (i < SHORT_PARTITION) {
          sent.add(send(flow, 1, i));
        }
      }
      long begun = System.nanoTime();
      JobID job = flow.start(Flow.config(yaml(flow), folder));

      assertThat(flow.cluster().requestJobResult(job).get().isSuccess()).isTrue();

      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(TRANSACTION);
      Received.assertExactlyOnce(sent, flow.readAll("out"));
      // while the long partition was read: without them its transaction would have timed out
      flow.awaitCheckpoints(job, CheckpointStatsCounts::getNumberOfCompletedCheckpoints, 5);
    }
  }

  private static String yaml(Flow flow) {
    return """
        name: bounded
        source:
          kafka:
            bootstrap-servers: "%1$s"
            topics: [in]
            start: earliest
            bounded: true
            properties:
              fetch.min.bytes: 1000000
              fetch.max.wait.ms: %2$d
              max.partition.fetch.bytes: 1
        stages: [identity: {}]
        sinks:
          - kafka:
              bootstrap-servers: "%1$s"
              topic: out
              delivery: exactly-once
              properties: {transaction.timeout.ms: %3$d}
        dead-letters: fail
        parallelism: 3
        checkpoints: {interval: 300ms, timeout: 10s}
        """
        .formatted(flow.broker().bootstrapServers(), FETCH.toMillis(), TRANSACTION.toMillis());
  }

  /** In a batch of its own. */
  private static String send(Flow flow, int partition, int number) throws Exception {
    String line = "line " + number + " of partition " + partition;
    flow.send(new ProducerRecord<>("in", partition, null, line.getBytes(StandardCharsets.UTF_8)));
    return line;
  }
}
