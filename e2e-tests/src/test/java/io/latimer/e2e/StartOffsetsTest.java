package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a job begins to read is in its first state, before any record was read. */
@Timeout(240)
class StartOffsetsTest {
  private static final TopicPartition IN = new TopicPartition("in", 0);

  @TempDir Path folder;

  /** Neither the group's offsets nor the topic's end of a later time count. */
  @ParameterizedTest
  @ValueSource(strings = {"committed", "earliest", "latest", "2000-01-01T00:00:00Z"})
  void aStateFromBeforeTheFirstRecordLosesNothing(String start) throws Exception {
    try (Flow flow = Flow.between(folder, 1, 1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", flow.broker().bootstrapServers()))) {
      String name = "start-" + start.substring(0, 4);
      JobConfig config =
          Flow.config(
              """
              name: %2$s
              source:
                kafka: {bootstrap-servers: "%1$s", topics: [in], start: "%3$s"}
              stages: [identity]
              sinks:
                - kafka: {bootstrap-servers: "%1$s", topic: out, delivery: exactly-once}
              checkpoints: {interval: 300ms}
              """
                  .formatted(flow.broker().bootstrapServers(), name, start),
              folder);
      JobID empty = flow.start(config);
      while (flow.metrics(empty, "KafkaSourceReader.topic.in.partition.0.currentOffset")
          .isEmpty()) {
        Thread.sleep(20);
      }
      String savepoint = flow.stop(empty);

      flow.send(1, List.of("one", "two"));
      admin.alterConsumerGroupOffsets(name, Map.of(IN, new OffsetAndMetadata(2))).all().get();
      JobID restored = flow.restore(savepoint, config);
      flow.send(1, List.of("three"));
      assertThat(flow.await("out", 3)).hasSize(3);
      flow.stop(restored);

      Received.assertExactlyOnce(List.of("one", "two", "three"), flow.readAll("out"));
    }
  }
}
