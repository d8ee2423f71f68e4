package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.flink.record.RecordSize;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.RecordCodec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writes dead letters to a topic, with the key, headers and event time of the refused record.
 *
 * <p>A letter that is longer than its producer may send is truncated: first the copy of the headers
 * in the Kafka record is dropped, then the end of the original bytes. If that is not enough,
 * headers, key and message are truncated, too. The letter says so, and its origin says where the
 * whole record can still be read.
 */
final class DeadLetterWriter extends TopicWriter<Envelope> {
  private static final long serialVersionUID = 1L;

  /** Maximum size added by the notes on truncation and by longer length fields. */
  private static final int NOTE = 320;

  /**
   * Message, headers, the key in the letter, the key of the Kafka record and the original bytes
   * each get one share of the space.
   */
  private static final int SHARES = 5;

  /** Maximum bytes of a UTF-16 unit in UTF-8. */
  private static final int UTF8 = 3;

  private final int maxBytes;
  private transient RecordCodec<DeadLetter> codec;

  DeadLetterWriter(String topic, int maxBytes) {
    super(topic);
    this.maxBytes = maxBytes;
  }

  @Override
  void open() {
    codec = RecordCodec.of(DeadLetter.class);
  }

  @Override
  ProducerRecord<byte[], byte[]> record(Envelope envelope) {
    DeadLetter letter = envelope.getFailure();
    ByteBuffer key = letter.getKey();
    List<Header> headers = letter.getHeaders();
    byte[] value = codec.encode(letter);
    long size = (long) RecordSize.of(key) + value.length;
    if (size + RecordSize.headers(headers) > maxBytes) {
      headers = List.of();
      if (size > maxBytes) {
        DeadLetter cut = cut(letter, size);
        value = codec.encode(cut);
        // a truncated key is a different key: the letter may have it, but not the Kafka record
        key = Objects.equals(cut.getKey(), key) ? key : null;
      }
    }
    return KafkaBytes.record(topic, EventTime.of(envelope), key, value, headers);
  }

  /**
   * Truncates the original bytes, usually the largest part, or, if that is not enough, every large
   * part.
   */
  private DeadLetter cut(DeadLetter letter, long size) {
    int original = letter.getOriginal().remaining();
    long kept = original - (size - maxBytes) - NOTE;
    if (kept >= 0) {
      return DeadLetter.newBuilder(letter)
          .setOriginal(start(letter.getOriginal(), (int) kept))
          .setErrorMessage(letter.getErrorMessage() + note((int) kept, original))
          .build();
    }
    DeadLetter.Builder cut =
        DeadLetter.newBuilder(letter)
            .setOriginal(ByteBuffer.allocate(0))
            .setKey(null)
            .setHeaders(List.of())
            .setErrorMessage("");
    int room = Math.max(0, maxBytes - NOTE - codec.encode(cut.build()).length);
    int share = room / SHARES;
    String message = start(letter.getErrorMessage(), share);
    StringBuilder also = new StringBuilder();
    if (message.length() < letter.getErrorMessage().length()) {
      also.append("; this message was truncated");
    }
    if (RecordSize.headers(letter.getHeaders()) <= share) {
      cut.setHeaders(letter.getHeaders());
    } else {
      also.append("; its headers were dropped");
    }
    int key = RecordSize.of(letter.getKey());
    if (letter.getKey() != null) {
      cut.setKey(start(letter.getKey(), share));
      if (key > share) {
        also.append("; its key of ").append(key).append(" bytes was truncated");
      }
    }
    int rest = Math.min(original, share);
    return cut.setOriginal(start(letter.getOriginal(), rest))
        .setErrorMessage(message + note(rest, original) + also)
        .build();
  }

  private static String note(int kept, int of) {
    return " (the first "
        + kept
        + " of the record's "
        + of
        + " bytes are kept here, so that the dead letter fits into its topic)";
  }

  private static ByteBuffer start(ByteBuffer bytes, int length) {
    return bytes.slice(bytes.position(), Math.min(bytes.remaining(), length));
  }

  /**
   * The longest prefix of a text that fits in a number of UTF-8 bytes; never splits a surrogate
   * pair.
   */
  private static String start(String text, int bytes) {
    int end = Math.min(text.length(), bytes / UTF8);
    if (end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end);
  }
}
