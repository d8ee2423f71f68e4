package io.latimer.pipelines.flink;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes translations to a topic, with the key, headers and event time of what was translated. */
final class TranslationWriter implements KafkaRecordSerializationSchema<Envelope> {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private transient RecordCodec<Translation> codec;

  TranslationWriter(String topic) {
    this.topic = topic;
  }

  @Override
  public void open(
      SerializationSchema.InitializationContext context, KafkaSinkContext sinkContext) {
    codec = RecordCodec.of(Translation.class);
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Envelope envelope, KafkaSinkContext context, Long timestamp) {
    return KafkaBytes.record(
        topic,
        EventTime.of(envelope),
        envelope.getKey(),
        codec.encode(envelope.getTranslation()),
        envelope.getSentence().getHeaders());
  }
}
