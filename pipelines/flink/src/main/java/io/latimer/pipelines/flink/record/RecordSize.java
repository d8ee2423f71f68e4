package io.latimer.pipelines.flink.record;

import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Sizes of records in Kafka. A record that is longer than its producer may send would fail the job
 * at every restart, so it must become a dead letter.
 */
public final class RecordSize {
  /** Kafka's default for {@code max.request.size}, and nearly a topic's. */
  private static final int DEFAULT_LIMIT = 1 << 20;

  /** Kafka's overhead for a record: lengths, offsets, the header of a batch. */
  private static final int OVERHEAD = 512;

  /** Maximum bytes of a UTF-16 unit in UTF-8. */
  private static final int UTF8 = 3;

  /** An upper bound of the length fields of a header in Kafka. */
  private static final int HEADER = 30;

  private RecordSize() {}

  /** Maximum bytes of key, value and headers that a sink may send. */
  public static int limit(SinkConfig.Kafka sink) {
    String set = sink.properties().resolve().get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
    return Math.max(OVERHEAD, set == null ? DEFAULT_LIMIT : Integer.parseInt(set.strip()))
        - OVERHEAD;
  }

  /** The size of a record's key and headers. */
  public static long beside(Envelope envelope) {
    return of(envelope.getKey()) + headers(Envelopes.headers(envelope));
  }

  /** The size of headers in Kafka, rounded up. */
  public static long headers(List<Header> headers) {
    long bytes = 0;
    for (Header header : headers) {
      bytes += utf8(header.getKey()) + of(header.getValue()) + HEADER;
    }
    return bytes;
  }

  /** The size of a text in UTF-8. */
  private static long utf8(String text) {
    long bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // a surrogate is half of four bytes
      bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : UTF8;
    }
    return bytes;
  }

  /** The size of some bytes; 0 if null. */
  public static int of(ByteBuffer bytes) {
    return bytes == null ? 0 : bytes.remaining();
  }
}
