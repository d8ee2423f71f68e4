package io.latimer.pipelines.flink;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordCodec;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes dead letters to a topic, with the key, headers and event time of the refused record. */
final class DeadLetterWriter implements KafkaRecordSerializationSchema<Envelope> {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private transient RecordCodec<DeadLetter> codec;

  DeadLetterWriter(String topic) {
    this.topic = topic;
  }

  @Override
  public void open(
      SerializationSchema.InitializationContext context, KafkaSinkContext sinkContext) {
    codec = RecordCodec.of(DeadLetter.class);
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Envelope envelope, KafkaSinkContext context, Long timestamp) {
    DeadLetter letter = envelope.getFailure();
    return KafkaBytes.record(
        topic, EventTime.of(envelope), letter.getKey(), codec.encode(letter), letter.getHeaders());
  }
}
