package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.source.InputConfig;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.KafkaTimestampType;
import org.apache.beam.sdk.values.KV;
import org.apache.kafka.common.TopicPartition;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class KafkaEventTimesTest {
  private static final int ROUNDS = 30;

  /** Each partition has a reader's thread, and they begin at once. */
  @Test
  void threadsReadAvroRecordsOfTwoPartitions() throws Exception {
    byte[] value =
        RecordCodec.of(Sentence.class)
            .encode(
                Sentence.newBuilder()
                    .setId("1")
                    .setFeed("test")
                    .setLanguage("en")
                    .setText("Hello.")
                    .setEventTime(java.time.Instant.ofEpochMilli(700))
                    .build());
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        KafkaEventTimes times = new KafkaEventTimes(InputConfig.DEFAULTS, Duration.millis(5));
        CyclicBarrier start = new CyclicBarrier(2);
        List<Future<Instant>> found = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          int partition = i;
          found.add(
              threads.submit(
                  () -> {
                    var policy =
                        times.createTimestampPolicy(
                            new TopicPartition("feed", partition), Optional.empty());
                    start.await();
                    return policy.getTimestampForRecord(
                        null,
                        new KafkaRecord<>(
                            "feed",
                            partition,
                            0,
                            1000,
                            KafkaTimestampType.CREATE_TIME,
                            null,
                            KV.of(null, value)));
                  }));
        }
        for (Future<Instant> one : found) {
          assertThat(one.get()).isEqualTo(Instant.ofEpochMilli(700));
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
