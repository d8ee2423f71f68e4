package io.latimer.pipelines.flink.kafka;

import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.metrics.KafkaMetrics;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.pipelines.source.Tombstones;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.SourcePosition;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Converts Kafka records to envelopes with their keys, headers, timestamps and offsets. Used by one
 * thread at a time.
 */
public final class KafkaReader implements KafkaRecordDeserializationSchema<Envelope> {
  private static final long serialVersionUID = 1L;

  private final SentenceReader reader;
  private final Tombstones tombstones;
  private transient Counter dropped;

  /** Creates a reader of records from Kafka. */
  public KafkaReader(SentenceReader reader, Tombstones tombstones) {
    this.reader = reader;
    this.tombstones = tombstones;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    dropped = context.getMetricGroup().counter(KafkaMetrics.DROPPED);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Envelope> out) {
    if (record.value() == null && tombstones == Tombstones.DROP) {
      dropped.inc();
      return;
    }
    List<Header> headers = new ArrayList<>();
    for (org.apache.kafka.common.header.Header header : record.headers()) {
      headers.add(new Header(header.key(), wrap(header.value())));
    }
    SourcePosition origin =
        new SourcePosition(record.topic(), record.partition(), record.offset(), time(record));
    // a tombstone without a key deletes nothing, and a compacted topic would refuse it at every
    // restart
    boolean isForwarded =
        record.value() == null && record.key() != null && tombstones == Tombstones.FORWARD;
    ByteBuffer key = wrap(record.key());
    out.collect(
        isForwarded
            ? reader.tombstone(key, headers, origin)
            : reader.read(record.value(), key, headers, origin));
  }

  /** The timestamp; null for records in the oldest format or of producers that set none. */
  private static Instant time(ConsumerRecord<byte[], byte[]> record) {
    return record.timestamp() < 0 ? Instant.now() : Instant.ofEpochMilli(record.timestamp());
  }

  private static ByteBuffer wrap(byte[] bytes) {
    return bytes == null ? null : ByteBuffer.wrap(bytes);
  }

  @Override
  public TypeInformation<Envelope> getProducedType() {
    return Records.ENVELOPE;
  }
}
