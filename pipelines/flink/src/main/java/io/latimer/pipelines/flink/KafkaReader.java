package io.latimer.pipelines.flink;

import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Origin;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Makes envelopes from Kafka records and keeps their keys, headers, timestamps and offsets. */
final class KafkaReader implements KafkaRecordDeserializationSchema<Envelope> {
  private static final long serialVersionUID = 1L;

  private final SentenceReader reader;

  KafkaReader(SentenceReader reader) {
    this.reader = reader;
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Envelope> out) {
    List<Header> headers = new ArrayList<>();
    for (org.apache.kafka.common.header.Header header : record.headers()) {
      headers.add(new Header(header.key(), wrap(header.value())));
    }
    Origin origin = new Origin(record.topic(), record.partition(), record.offset(), time(record));
    out.collect(reader.read(record.value(), wrap(record.key()), headers, origin));
  }

  /** Records in the oldest format, or of producers that set no time, have none. */
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
