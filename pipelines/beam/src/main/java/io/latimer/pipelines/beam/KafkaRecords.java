package io.latimer.pipelines.beam;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Kafka records of results, with the key, headers and time of the source's record. */
final class KafkaRecords {
  /** Kafka's overhead for a record: lengths, offsets, the header of a batch. */
  private static final int OVERHEAD = 512;

  /** An upper bound of the length fields of a header in Kafka. */
  private static final int HEADER = 30;

  /**
   * Maximum lead of a timestamp over the clock, in milliseconds; brokers refuse more than an hour.
   */
  private static final long AHEAD = 1_800_000;

  private KafkaRecords() {}

  /** Converts results to Kafka records; those longer than a producer may send are refused. */
  static final class OfResults extends DoFn<Envelope, ProducerRecord<byte[], byte[]>> {
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final Format format;
    private final int maxBytes;
    private final TupleTag<ProducerRecord<byte[], byte[]>> records;
    private transient RecordCodec<Translation> translations;
    private transient RecordCodec<Sentence> sentences;

    OfResults(
        String topic,
        Format format,
        int maxBytes,
        TupleTag<ProducerRecord<byte[], byte[]>> records) {
      this.topic = topic;
      this.format = format;
      this.maxBytes = maxBytes;
      this.records = records;
    }

    @Setup
    public void setup() {
      translations = RecordCodec.of(Translation.class);
      sentences = RecordCodec.of(Sentence.class);
    }

    @ProcessElement
    public void process(@Element Envelope result, MultiOutputReceiver out) {
      List<Header> headers = result.getSentence().getHeaders();
      byte[] value = value(result);
      long size = size(result.getKey(), value, headers);
      if (size > maxBytes) {
        String message =
            "the record has "
                + size
                + " bytes with its key and headers, but the producer sends at most "
                + maxBytes
                + "; raise max.request.size, and the topic's max.message.bytes";
        Envelope refused =
            DeadLetters.refuse(result, DeadLetterReason.SINK, new RecordException(message));
        out.get(StageTransform.FAILURES).output(refused.getFailure());
      } else {
        out.get(records)
            .output(
                record(topic, EventTimes.of(result).getMillis(), result.getKey(), value, headers));
      }
    }

    private byte[] value(Envelope result) {
      if (format != Format.AVRO) {
        return Results.line(result, format).getBytes(StandardCharsets.UTF_8);
      }
      return result.getTranslation() == null
          ? sentences.encode(result.getSentence())
          : translations.encode(result.getTranslation());
    }
  }

  /** Converts dead letters to Kafka records; original bytes that are too long are truncated. */
  static final class OfLetters extends DoFn<DeadLetter, ProducerRecord<byte[], byte[]>> {
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int maxBytes;
    private transient RecordCodec<DeadLetter> codec;

    OfLetters(String topic, int maxBytes) {
      this.topic = topic;
      this.maxBytes = maxBytes;
    }

    @Setup
    public void setup() {
      codec = RecordCodec.of(DeadLetter.class);
    }

    @ProcessElement
    public void process(
        @Element DeadLetter letter, OutputReceiver<ProducerRecord<byte[], byte[]>> out) {
      byte[] value = codec.encode(letter);
      ByteBuffer key = letter.getKey();
      List<Header> headers = letter.getHeaders();
      long over = size(key, value, headers) - maxBytes;
      if (over > 0) {
        headers = List.of();
        key = null;
        value = codec.encode(cut(letter, value.length));
      }
      long time = letter.getOrigin().getTimestamp().toEpochMilli();
      out.output(record(topic, time, key, value, headers));
    }

    /** A dead letter without key and headers, and with as many of the original bytes as fit. */
    private DeadLetter cut(DeadLetter letter, int bytes) {
      int original = letter.getOriginal().remaining();
      int kept = Math.max(0, Math.min(original, maxBytes - (bytes - original) - OVERHEAD));
      ByteBuffer start = letter.getOriginal().slice(letter.getOriginal().position(), kept);
      return DeadLetter.newBuilder(letter)
          .setOriginal(start)
          .setKey(null)
          .setHeaders(List.of())
          .setErrorMessage(
              letter.getErrorMessage()
                  + " (the first "
                  + kept
                  + " of the record's "
                  + original
                  + " bytes are kept here, without its key and headers, so that the dead letter fits"
                  + " into its topic)")
          .build();
    }
  }

  /** Maximum bytes of key, value and headers, for the producer's {@code max.request.size}. */
  static int maxBytes(String maxRequestSize) {
    return Math.max(2 * OVERHEAD, Integer.parseInt(maxRequestSize.strip())) - OVERHEAD;
  }

  static ProducerRecord<byte[], byte[]> record(
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

  private static long size(ByteBuffer key, byte[] value, List<Header> headers) {
    long size = (key == null ? 0 : key.remaining()) + (long) value.length;
    for (Header header : headers) {
      size += HEADER + 3L * header.getKey().length();
      size += header.getValue() == null ? 0 : header.getValue().remaining();
    }
    return size;
  }

  private static byte[] array(ByteBuffer buffer) {
    if (buffer == null) {
      return null;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
