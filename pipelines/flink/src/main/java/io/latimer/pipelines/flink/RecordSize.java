package io.latimer.pipelines.flink;

import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * How long records become in Kafka. One that is longer than its producer may send would fail the
 * job, at every restart again: it has to be a dead letter instead.
 */
final class RecordSize {
  /** Kafka's own default of {@code max.request.size}, and nearly that of a topic. */
  private static final int DEFAULT_LIMIT = 1 << 20;

  /** What Kafka adds to a record: lengths, offsets, the head of a batch. */
  private static final int OVERHEAD = 512;

  /** Most bytes of a character (a UTF-16 unit) in UTF-8. */
  private static final int UTF8 = 3;

  /** Most bytes of a number or length in Avro, and more than those of one in Kafka. */
  private static final int NUMBER = 10;

  /** Numbers of an entry of a list: three are the most, but for links of an alignment. */
  private static final int ENTRY = 3 * NUMBER;

  /** Most bytes of a link of an alignment: eight ints of five bytes, and a float. */
  private static final int LINK = 8 * 5 + Float.BYTES;

  /** Numbers and lengths that a translation has in any case, generously. */
  private static final int FIXED = 32 * NUMBER;

  private final RecordBytes encoded = new RecordBytes();

  /** The most bytes of key, value and headers that a sink may send. */
  static int limit(SinkConfig.Kafka sink) {
    String set = sink.properties().resolve().get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
    return Math.max(OVERHEAD, set == null ? DEFAULT_LIMIT : Integer.parseInt(set.strip()))
        - OVERHEAD;
  }

  /**
   * The bytes of a record with its key and headers, exactly where they come near the limit.
   *
   * @return a number that is above the limit only if the bytes are
   */
  long of(Envelope envelope, int limit) {
    long bound = bound(envelope);
    if (bound <= limit) {
      return bound;
    }
    return encoded.of(envelope).length
        + of(envelope.getKey())
        + headers(envelope.getSentence().getHeaders(), 1);
  }

  /** At least as many bytes as the record can have; much cheaper than to encode it. */
  private static long bound(Envelope envelope) {
    Translation translation = envelope.getTranslation();
    Sentence source = translation == null ? envelope.getSentence() : translation.getSource();
    long chars =
        (long) source.getId().length()
            + source.getFeed().length()
            + source.getLanguage().length()
            + source.getText().length();
    // headers are in the value and beside it
    return FIXED
        + UTF8 * chars
        + (translation == null ? 0 : bound(translation))
        + of(envelope.getKey())
        + 2 * headers(source.getHeaders(), UTF8);
  }

  private static long bound(Translation translation) {
    long chars =
        (long) translation.getTargetLanguage().length()
            + translation.getText().length()
            + translation.getModelId().length()
            + translation.getModelVersion().length();
    long entries = translation.getTimings().size();
    for (var timing : translation.getTimings()) {
      chars += timing.getStage().length();
    }
    for (Alternative alternative : translation.getNBest()) {
      chars += alternative.getText().length();
      entries++;
    }
    long links = translation.getAlignment() == null ? 0 : translation.getAlignment().size();
    return UTF8 * chars + ENTRY * entries + LINK * links;
  }

  /** The bytes of headers in Kafka, for so many bytes a character. */
  static long headers(List<Header> headers, int bytesPerChar) {
    long bytes = 0;
    for (Header header : headers) {
      bytes += (long) bytesPerChar * header.getKey().length() + of(header.getValue()) + ENTRY;
    }
    return bytes;
  }

  static int of(ByteBuffer bytes) {
    return bytes == null ? 0 : bytes.remaining();
  }
}
