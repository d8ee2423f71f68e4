package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.flink.record.RecordBytes;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.Envelope;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writes records to a topic with their original key, headers and event time; tombstones without a
 * value.
 */
public final class RecordWriter implements TopicWriter<Envelope> {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final Format format;
  private transient RecordBytes bytes;

  /** Creates a writer to a topic. */
  public RecordWriter(String topic, Format format) {
    this.topic = topic;
    this.format = format;
  }

  @Override
  public String topic() {
    return topic;
  }

  @Override
  public void open(
      SerializationSchema.InitializationContext context, KafkaSinkContext sinkContext) {
    bytes = new RecordBytes(format);
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Envelope envelope, KafkaSinkContext context, Long timestamp) {
    return KafkaBytes.record(
        topic,
        EventTime.of(envelope),
        envelope.getKey(),
        Envelopes.isTombstone(envelope) ? null : bytes.of(envelope),
        Envelopes.headers(envelope));
  }
}
