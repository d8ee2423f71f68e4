package io.latimer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.RecordCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Counter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records without a value on their way from a topic through stages to a compacted topic. */
@Timeout(240)
class TombstonesTest {
  private static final RecordCodec<DeadLetter> LETTERS = RecordCodec.of(DeadLetter.class);

  /** Recent: a broker removes records that are older than a week. */
  private static final long TIME = System.currentTimeMillis() - 60_000;

  @TempDir Path folder;
  private Flow flow;

  @BeforeEach
  void start() throws Exception {
    flow = new Flow(folder);
    flow.topic("in", 1);
    flow.topic("out", 1, Map.of("cleanup.policy", "compact"));
    flow.topic("dead", 1);
    flow.topic("tables", 1);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  /** Through two groups of stages, with one between them that makes tables. */
  private JobConfig job(String tombstones) {
    String yaml =
        """
        name: tombstones-%2$s
        source:
          kafka: {bootstrap-servers: "%1$s", topics: in, start: earliest, tombstones: %2$s}
        stages:
          - identity: {name: first}
          - ngrams: {window: 1d, sinks: [{kafka: {bootstrap-servers: "%1$s", topic: tables}}]}
          - identity: {name: last}
        sinks: [{kafka: {bootstrap-servers: "%1$s", topic: out, format: text}}]
        dead-letters: {kafka: {bootstrap-servers: "%1$s", topic: dead}}
        checkpoints: {interval: 300ms}
        """;
    return Flow.config(yaml.formatted(flow.broker().bootstrapServers(), tombstones), folder);
  }

  /** Sends a record; null for a tombstone, and for a record without a key. */
  private void send(String key, String value) throws Exception {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>("in", 0, TIME, bytes(key), bytes(value));
    record.headers().add(new RecordHeader("trace", new byte[] {1, 2}));
    flow.send(record);
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  private static List<String> pairs(List<ConsumerRecord<byte[], byte[]>> records) {
    List<String> pairs = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      String value = record.value() == null ? "deleted" : new String(record.value(), UTF_8);
      pairs.add(new String(record.key(), UTF_8) + " " + value);
    }
    return pairs;
  }

  @Test
  void forwardedTombstonesDeleteTheirKeysInTheSinksTopic() throws Exception {
    JobID job = flow.start(job("forward"));
    send("a", "one");
    send("b", "two");
    send("a", null);
    assertThat(pairs(flow.await("out", 3))).containsExactly("a one", "b two", "a deleted");
    String savepoint = flow.stop(job);
    send(null, null); // deletes nothing, and a compacted topic takes no record without a key
    send("b", null);
    send("b", "three");
    send("c", null);
    JobID restored = flow.restore(savepoint, job("forward"));
    flow.await("out", 6);
    flow.stop(restored);

    List<ConsumerRecord<byte[], byte[]>> out = flow.readAll("out");
    assertThat(pairs(out))
        .containsExactly("a one", "b two", "a deleted", "b deleted", "b three", "c deleted");
    assertThat(out)
        .allSatisfy(
            record -> {
              assertThat(record.timestamp()).isEqualTo(TIME);
              assertThat(record.headers().lastHeader("trace").value()).containsExactly(1, 2);
            });
    assertThat(deadOffsets()).containsExactly(3L);
  }

  @Test
  void droppedTombstonesAreCounted() throws Exception {
    JobID job = flow.start(job("drop"));
    send("a", "one");
    send("a", null);
    send(null, null);
    send("b", "two");
    assertThat(pairs(flow.await("out", 2))).containsExactly("a one", "b two");
    assertThat(flow.metrics(job, "deserializer\\.droppedTombstones").values())
        .extracting(metric -> ((Counter) metric).getCount())
        .containsExactly(2L);
    flow.stop(job);
    assertThat(flow.readAll("out")).hasSize(2);
    assertThat(deadOffsets()).isEmpty();
  }

  @Test
  void tombstonesAreDeadLettersByDefault() throws Exception {
    JobID job = flow.start(job("dead-letter"));
    send("a", "one");
    send("a", null);
    send("b", "two");
    assertThat(pairs(flow.await("out", 2))).containsExactly("a one", "b two");
    ConsumerRecord<byte[], byte[]> dead = flow.await("dead", 1).get(0);
    assertThat(dead.key()).isEqualTo(bytes("a"));
    assertThat(LETTERS.decode(dead.value()).getErrorMessage()).contains("has no value");
    flow.stop(job);
    assertThat(flow.readAll("out")).hasSize(2);
    assertThat(deadOffsets()).containsExactly(1L);
  }

  private List<Long> deadOffsets() throws Exception {
    List<Long> offsets = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> dead : flow.readAll("dead")) {
      offsets.add(LETTERS.decode(dead.value()).getOrigin().getOffset());
    }
    return offsets;
  }
}
