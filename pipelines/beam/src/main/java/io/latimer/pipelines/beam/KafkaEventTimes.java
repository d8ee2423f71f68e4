package io.latimer.pipelines.beam;

import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import java.util.Optional;
import org.apache.beam.sdk.io.kafka.CustomTimestampPolicyWithLimitedDelay;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.TimestampPolicy;
import org.apache.beam.sdk.io.kafka.TimestampPolicyFactory;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.kafka.common.TopicPartition;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Takes the event time of records from their sentences, or else from Kafka. */
final class KafkaEventTimes implements TimestampPolicyFactory<byte[], byte[]> {
  private static final long serialVersionUID = 1L;

  private final SentenceReader reader;
  private final Duration outOfOrderness;

  /**
   * Makes the factory.
   *
   * @param outOfOrderness how far watermarks stay behind the highest event time
   */
  KafkaEventTimes(SentenceReader reader, Duration outOfOrderness) {
    this.reader = reader;
    this.outOfOrderness = outOfOrderness;
  }

  @Override
  public TimestampPolicy<byte[], byte[]> createTimestampPolicy(
      TopicPartition partition, Optional<Instant> previousWatermark) {
    SerializableFunction<KafkaRecord<byte[], byte[]>, Instant> times = this::time;
    return new CustomTimestampPolicyWithLimitedDelay<>(times, outOfOrderness, previousWatermark);
  }

  private Instant time(KafkaRecord<byte[], byte[]> record) {
    Envelope read = Sentences.of(reader, record);
    return EventTimes.of(read);
  }
}
