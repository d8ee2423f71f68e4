package io.latimer.pipelines.beam;

import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import java.util.Optional;
import org.apache.beam.sdk.io.kafka.CustomTimestampPolicyWithLimitedDelay;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.TimestampPolicy;
import org.apache.beam.sdk.io.kafka.TimestampPolicyFactory;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.kafka.common.TopicPartition;
import org.joda.time.Duration;
import org.joda.time.Instant;

/**
 * Takes event times from the sentences, or else from Kafka.
 *
 * @param input how to read records
 * @param outOfOrderness how far watermarks lag behind the highest event time
 */
record KafkaEventTimes(InputConfig input, Duration outOfOrderness)
    implements TimestampPolicyFactory<byte[], byte[]> {
  @Override
  public TimestampPolicy<byte[], byte[]> createTimestampPolicy(
      TopicPartition partition, Optional<Instant> previousWatermark) {
    // separate threads read the partitions of a split and share this factory
    SentenceReader reader = new SentenceReader(input, Sentences.MAX_AHEAD);
    SerializableFunction<KafkaRecord<byte[], byte[]>, Instant> times =
        record -> EventTimes.of(Sentences.of(reader, record));
    return new CustomTimestampPolicyWithLimitedDelay<>(times, outOfOrderness, previousWatermark);
  }
}
