package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.flink.record.RecordBytes;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.Envelope;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writes records to a topic with their original key, headers and event time; tombstones without a
 * value.
 */
public final class RecordWriter extends TopicWriter<Envelope> {
  private static final long serialVersionUID = 1L;

  private final Format format;
  private transient RecordBytes bytes;

  /** Creates a writer to a topic. */
  public RecordWriter(String topic, Format format) {
    super(topic);
    this.format = format;
  }

  @Override
  void open() {
    bytes = new RecordBytes(format);
  }

  @Override
  ProducerRecord<byte[], byte[]> record(Envelope envelope) {
    return KafkaBytes.record(
        topic,
        EventTime.of(envelope),
        envelope.getKey(),
        Envelopes.isTombstone(envelope) ? null : bytes.of(envelope),
        Envelopes.headers(envelope));
  }
}
