package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A partition that becomes idle while its records are still being translated must not let the other
 * end the windows of those records.
 */
@Timeout(240)
class IdlePartitionTest {
  private static final RecordCodec<Sentence> SENTENCES = RecordCodec.of(Sentence.class);
  private static final RecordCodec<NgramTable> TABLES = RecordCodec.of(NgramTable.class);

  /** The least time for a batch: three times {@code idleness}. */
  private static final Duration BATCH = Duration.ofSeconds(3);

  private static final int BATCH_RECORDS = 6;
  private static final long WINDOW = 10_000;

  /** Of the first partition, all in the first window. They are three batches. */
  private static final int FIRST = 3 * BATCH_RECORDS;

  /** Of the other partition, all in later windows. They fill its batches as fast as these pass. */
  private static final int OTHER = 5 * BATCH_RECORDS;

  private static final long STEP = 500;

  @TempDir Path folder;

  @Test
  void windowsWaitForTheRecordsOfAnIdlePartition() throws Exception {
    long began = Instant.now().minus(Duration.ofHours(3)).toEpochMilli() / WINDOW * WINDOW;
    List<String> sentences = Flow.feed();
    Map<Long, Long> expected = new TreeMap<>();
    try (Flow flow = Flow.between(folder, 2, 1)) {
      flow.topic("tables", 1);
      List<ProducerRecord<byte[], byte[]>> first = new ArrayList<>();
      for (int i = 0; i < FIRST; i++) {
        first.add(record(0, began + i, sentences.get(i)));
        expected.merge(began, 1L, Long::sum);
      }
      flow.sendAll(first);
      flow.start(config(flow), BATCH);
      while (!isBatchInFlight()) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      for (int i = 0; i < OTHER; i++) {
        long time = began + 2 * WINDOW + i * STEP;
        flow.send(record(1, time, sentences.get(i)));
        expected.merge(time / WINDOW * WINDOW, 1L, Long::sum);
        TimeUnit.MILLISECONDS.sleep(BATCH.toMillis() / BATCH_RECORDS);
      }
      flow.send(record(1, began + 100 * WINDOW, "")); // ends the windows before

      Map<Long, Long> counted = new TreeMap<>();
      for (ConsumerRecord<byte[], byte[]> record : flow.await("tables", expected.size())) {
        NgramTable table = TABLES.decode(record.value());
        assertThat(table.getLate()).as("records that came too late").isZero();
        counted.put(table.getStart().toEpochMilli(), table.getSentences());
      }
      assertThat(counted).isEqualTo(expected);
    }
  }

  /** The stage shows what it works on as files. */
  private boolean isBatchInFlight() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(Files::isRegularFile);
    }
  }

  private static ProducerRecord<byte[], byte[]> record(int partition, long time, String text) {
    Sentence sentence =
        new Sentence("", "", "en", text, Instant.ofEpochMilli(time), List.of(), List.of());
    return new ProducerRecord<>("in", partition, null, SENTENCES.encode(sentence));
  }

  private JobConfig config(Flow flow) {
    return Flow.config(
        """
        name: idle-partition
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [in], start: earliest}
        event-time: {out-of-orderness: 0s, idleness: 1s}
        batch: {max-records: %2$d, max-wait: 3s}
        stages:
          - %3$s
          - ngrams:
              order: 1
              window: %4$dms
              running: false
              sinks:
                - kafka: {bootstrap-servers: "%1$s", topic: tables, delivery: exactly-once}
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: out, delivery: exactly-once}
        dead-letters: fail
        parallelism: 2
        checkpoints: {interval: 1s}
        """
            .formatted(
                flow.broker().bootstrapServers(),
                BATCH_RECORDS,
                Flow.translate(Flow.MODEL, ", beam: 1"),
                WINDOW),
        folder);
  }
}
