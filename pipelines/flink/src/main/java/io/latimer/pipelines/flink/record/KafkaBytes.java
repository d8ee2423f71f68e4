package io.latimer.pipelines.flink.record;

import io.latimer.schemas.Header;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Kafka records with the key, headers and time of the source's record. */
public final class KafkaBytes {
  /**
   * Maximum lead of a timestamp over the clock, in milliseconds: brokers refuse timestamps more
   * than an hour ahead of their clock, and a refused record would fail the job at every restart.
   */
  private static final long AHEAD = 1_800_000;

  private KafkaBytes() {}

  /** A record for Kafka. */
  public static ProducerRecord<byte[], byte[]> record(
      String topic, long time, ByteBuffer key, byte[] value, List<Header> headers) {
    // Kafka refuses times before 1970 and in the future; the present is the nearest valid one
    Long timestamp = time < 0 || time > System.currentTimeMillis() + AHEAD ? null : time;
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, null, timestamp, array(key), value);
    for (Header header : headers) {
      record.headers().add(new RecordHeader(header.getKey(), array(header.getValue())));
    }
    return record;
  }

  /** Copies the bytes of a buffer without changing it; null for null. */
  public static byte[] array(ByteBuffer buffer) {
    if (buffer == null) {
      return null;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
