package io.latimer.pipelines.flink;

import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.EarlierText;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Lengths of records in Kafka. A record that is longer than its producer may send would fail the
 * job at every restart, so it must become a dead letter.
 */
final class RecordSize {
  /** Kafka's default for {@code max.request.size}, and nearly a topic's. */
  private static final int DEFAULT_LIMIT = 1 << 20;

  /** Kafka's overhead for a record: lengths, offsets, the header of a batch. */
  private static final int OVERHEAD = 512;

  /** Maximum bytes of a UTF-16 unit in UTF-8. */
  private static final int UTF8 = 3;

  /** More than the lengths of a header in Kafka. */
  private static final int HEADER = 30;

  /**
   * The most bytes that parts of a value can have in a format, generously.
   *
   * @param character a UTF-16 unit of a text
   * @param octet one of a header's bytes
   * @param fixed what a translation has in any case: numbers, lengths, the names of fields
   * @param entry an entry of a list, without its texts
   * @param link a link of an alignment
   */
  private record Costs(int character, int octet, int fixed, int entry, int link) {
    /** Numbers have ten bytes at most, a score of a language model has nine of them. */
    static final Costs AVRO = new Costs(UTF8, 1, 320, 90, 44);

    /** A control character is escaped by six; names of fields are in every entry. */
    static final Costs JSON = new Costs(6, 6, 1_024, 256, 256);

    static Costs of(Format format) {
      return format == Format.JSON ? JSON : AVRO;
    }
  }

  private final Format format;
  private final Costs costs;
  private final RecordBytes encoded;

  RecordSize(Format format) {
    this.format = format;
    this.costs = Costs.of(format);
    this.encoded = new RecordBytes(format);
  }

  /** Maximum bytes of key, value and headers that a sink may send. */
  static int limit(SinkConfig.Kafka sink) {
    String set = sink.properties().resolve().get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
    return Math.max(OVERHEAD, set == null ? DEFAULT_LIMIT : Integer.parseInt(set.strip()))
        - OVERHEAD;
  }

  /**
   * The bytes of a record with its key and headers; exact near the limit.
   *
   * @return a number that exceeds the limit only if the bytes do
   */
  long of(Envelope envelope, int limit) {
    List<Header> headers = envelope.getSentence().getHeaders();
    long beside = of(envelope.getKey()) + headers(headers, UTF8);
    long bound = beside + bound(envelope);
    return bound <= limit
        ? bound
        : encoded.of(envelope).length + of(envelope.getKey()) + headers(headers, 1);
  }

  /** At least as many bytes as the value can have; much cheaper than to encode it. */
  private long bound(Envelope envelope) {
    Translation translation = envelope.getTranslation();
    Sentence source = translation == null ? envelope.getSentence() : translation.getSource();
    if (format == Format.TEXT) {
      return (long) UTF8
          * (translation == null ? source.getText() : translation.getText()).length();
    }
    return costs.fixed() + bound(source) + (translation == null ? 0 : bound(translation));
  }

  private long bound(Sentence sentence) {
    long chars =
        (long) sentence.getId().length()
            + sentence.getFeed().length()
            + sentence.getLanguage().length()
            + sentence.getText().length();
    long octets = 0;
    long entries = 0;
    for (EarlierText earlier : sentence.getTranslatedFrom()) {
      chars +=
          earlier.getLanguage().length()
              + earlier.getText().length()
              + earlier.getModelId().length()
              + earlier.getModelVersion().length();
      entries++;
    }
    for (Header header : sentence.getHeaders()) {
      chars += header.getKey().length();
      octets += of(header.getValue());
      entries++;
    }
    return costs.character() * chars + costs.octet() * octets + costs.entry() * entries;
  }

  private long bound(Translation translation) {
    long chars =
        (long) translation.getTargetLanguage().length()
            + translation.getText().length()
            + translation.getModelId().length()
            + translation.getModelVersion().length();
    long entries = 0;
    for (StageTiming timing : translation.getTimings()) {
      chars += timing.getStage().length();
      entries++;
    }
    for (Alternative alternative : translation.getNBest()) {
      chars += alternative.getText().length();
      entries++;
    }
    for (LanguageScore score : translation.getLanguageScores()) {
      chars +=
          score.getStage().length()
              + score.getText().length()
              + score.getModelId().length()
              + score.getModelVersion().length();
      entries++;
    }
    long links = translation.getAlignment() == null ? 0 : translation.getAlignment().size();
    return costs.character() * chars + costs.entry() * entries + costs.link() * links;
  }

  /** The bytes of headers in Kafka, for a number of bytes per character. */
  static long headers(List<Header> headers, int bytesPerChar) {
    long bytes = 0;
    for (Header header : headers) {
      bytes += (long) bytesPerChar * header.getKey().length() + of(header.getValue()) + HEADER;
    }
    return bytes;
  }

  static int of(ByteBuffer bytes) {
    return bytes == null ? 0 : bytes.remaining();
  }
}
