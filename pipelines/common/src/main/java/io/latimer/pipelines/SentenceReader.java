package io.latimer.pipelines;

import io.latimer.operators.RecordException;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Origin;
import io.latimer.schemas.PlainText;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Sentence;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes envelopes of the bytes that sources read: a {@link Sentence} in Avro's single-object
 * encoding, or plain UTF-8 text. What is neither becomes an envelope with a failure, never an
 * exception. Used by one thread at a time.
 */
public final class SentenceReader implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Name of the stage in dead letters of records that cannot be read. */
  public static final String STAGE = "read";

  private final JobConfig.Input input;
  private transient RecordCodec<Sentence> codec;

  /** Makes a reader. */
  public SentenceReader(JobConfig.Input input) {
    this.input = input;
  }

  /**
   * Reads a record.
   *
   * @param value the record's bytes; null for a Kafka record without a value
   * @param key the record's key, or null
   * @param headers the record's headers
   * @param origin where it came from
   */
  public Envelope read(byte[] value, ByteBuffer key, List<Header> headers, Origin origin) {
    ByteBuffer original = ByteBuffer.wrap(value == null ? new byte[0] : value);
    Envelope.Builder envelope =
        Envelope.newBuilder().setOrigin(origin).setKey(key).setOriginal(original);
    try {
      envelope.setSentence(sentence(value, headers, origin));
    } catch (RecordFormatException | RecordException e) {
      envelope.setFailure(DeadLetters.letter(original, key, headers, origin, STAGE, e));
    }
    return envelope.build();
  }

  private Sentence sentence(byte[] value, List<Header> headers, Origin origin)
      throws RecordFormatException {
    if (value == null) {
      // a Kafka record without one deletes its key: there is nothing to translate
      throw new RecordException("the record has no value; send the text as its value");
    }
    if (value.length > input.maxRecordBytes()) {
      throw new RecordException(
          "the record has "
              + value.length
              + " bytes, but at most "
              + input.maxRecordBytes()
              + " are allowed; split it, or raise input.max-record-bytes");
    }
    return switch (input.encoding()) {
      case AVRO -> avro(value, headers, origin);
      case TEXT -> text(value, headers, origin);
      case AUTO ->
          RecordCodec.isSingleObject(value)
              ? avro(value, headers, origin)
              : text(value, headers, origin);
    };
  }

  private Sentence text(byte[] value, List<Header> headers, Origin origin)
      throws RecordFormatException {
    String feed = input.feed().isEmpty() ? origin.getSource() : input.feed();
    return PlainText.sentence(
        value, id(origin), feed, input.language(), origin.getTimestamp(), headers);
  }

  private Sentence avro(byte[] value, List<Header> headers, Origin origin)
      throws RecordFormatException {
    if (codec == null) {
      codec = RecordCodec.of(Sentence.class);
    }
    Sentence sentence = codec.decode(value);
    if (sentence.getId().isEmpty()) {
      sentence.setId(id(origin));
    }
    if (sentence.getLanguage().isEmpty()) {
      sentence.setLanguage(input.language());
    }
    if (sentence.getEventTime().equals(Instant.EPOCH)) {
      // what a producer writes that knows no time
      sentence.setEventTime(origin.getTimestamp());
    }
    if (!headers.isEmpty()) {
      List<Header> all = new ArrayList<>(sentence.getHeaders());
      all.addAll(headers);
      sentence.setHeaders(all);
    }
    return sentence;
  }

  /** Names a record that has no name: the same at every reading, where its source has offsets. */
  private static String id(Origin origin) {
    return origin.getPartition() < 0
        ? origin.getSource() + "-" + origin.getOffset()
        : origin.getSource() + "-" + origin.getPartition() + "-" + origin.getOffset();
  }
}
