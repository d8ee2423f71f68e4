package io.latimer.pipelines.source;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.feed.FeedContext;
import io.latimer.pipelines.feed.FeedItem;
import io.latimer.pipelines.feed.FeedMeter;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.record.TombstoneException;
import io.latimer.schemas.EarlierText;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.PlainText;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import io.latimer.schemas.Translation;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;

/**
 * Decodes the bytes that sources read into envelopes: a {@link Sentence} or another job's {@link
 * Translation} in Avro's single-object encoding, or plain UTF-8 text. Anything else becomes an
 * envelope with a failure, never an exception. Used by one thread at a time.
 *
 * <p>A translation is read as a sentence: its text, in its language, with the id, feed, event time
 * and headers of its source, whose text goes to {@code translatedFrom}.
 */
public final class SentenceReader implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Stage name in the dead letters of unreadable records. */
  public static final String STAGE = DeadLetterReason.READ;

  private static final String NO_VALUE = "the record has no value; send the text as its value";

  private final InputConfig input;
  private final long maxAheadMillis;
  private final Clock clock;
  private transient RecordCodec<Sentence> sentences;
  private transient RecordCodec<Translation> translations;

  /**
   * Creates a reader.
   *
   * @param maxAhead how far an event time may be ahead of its origin's timestamp and of the clock;
   *     1 ms or more
   */
  public SentenceReader(InputConfig input, Duration maxAhead) {
    this(input, maxAhead, Clock.systemUTC());
  }

  SentenceReader(InputConfig input, Duration maxAhead, Clock clock) {
    this.input = input;
    this.maxAheadMillis = maxAhead.toMillis();
    this.clock = clock;
  }

  /**
   * Reads a record.
   *
   * @param value the record's bytes; null for a Kafka record without a value
   * @param key the record's key, or null
   * @param headers the record's headers
   * @param origin where it came from
   */
  public Envelope read(byte[] value, ByteBuffer key, List<Header> headers, SourcePosition origin) {
    ByteBuffer original = ByteBuffer.wrap(value == null ? new byte[0] : value);
    Envelope.Builder envelope =
        Envelope.newBuilder().setOrigin(origin).setKey(key).setOriginal(original);
    try {
      Sentence sentence = sentence(value, headers, origin);
      checkTime(sentence, origin);
      envelope.setSentence(sentence);
    } catch (RecordFormatException | RecordException e) {
      envelope.setFailure(DeadLetters.letter(original, key, headers, origin, STAGE, e));
    }
    return envelope.build();
  }

  /**
   * Creates an envelope of a tombstone, a record with a key and no value, which stages skip and
   * sinks write unchanged.
   *
   * @param key the record's key
   * @param headers the record's headers
   * @param origin where it came from
   */
  public Envelope tombstone(ByteBuffer key, List<Header> headers, SourcePosition origin) {
    ByteBuffer original = ByteBuffer.allocate(0);
    TombstoneException reason = new TombstoneException(NO_VALUE);
    return Envelope.newBuilder()
        .setOrigin(origin)
        .setKey(key)
        .setOriginal(original)
        .setFailure(DeadLetters.letter(original, key, headers, origin, STAGE, reason))
        .build();
  }

  /** Maximum bytes of a record. */
  public int maxRecordBytes() {
    return input.maxRecordBytes();
  }

  /** Number of bytes of a line to keep: enough to read it, or to see that it is too long. */
  public int keptLineBytes() {
    return input.maxRecordBytes() + 1;
  }

  /**
   * Reads a line of text.
   *
   * @param line its first bytes, {@link #keptLineBytes()} at most
   * @param origin where it came from
   */
  public Envelope readLine(byte[] line, SourcePosition origin) {
    int most = input.maxRecordBytes();
    if (line.length <= most) {
      return read(line, null, List.of(), origin);
    }
    String message =
        "the line has more than "
            + most
            + " bytes, the maximum, and this letter contains its beginning; split the line, or"
            + " raise input.max-record-bytes";
    return refuse(ByteBuffer.wrap(line, 0, most), origin, new RecordException(message));
  }

  /**
   * Reads a record of a feed. The original bytes of a sentence are its single-object encoding.
   *
   * @param item not {@link FeedItem.Nothing}
   */
  public Envelope read(FeedItem item) {
    if (item.content() instanceof FeedItem.Text text) {
      return read(text.sentence(), item.origin());
    }
    if (item.content() instanceof FeedItem.Line line) {
      return readLine(line.bytes(), item.origin());
    }
    FeedItem.Refused refused = (FeedItem.Refused) item.content();
    return refuse(
        ByteBuffer.wrap(refused.bytes()), item.origin(), new RecordException(refused.reason()));
  }

  /**
   * Creates the context for a feed.
   *
   * @param in the standard input
   * @param warnings receives one sentence for each error after which the feed continues
   * @param meter receives the metrics of the feed
   */
  public FeedContext feedContext(InputStream in, Consumer<String> warnings, FeedMeter meter) {
    return new FeedContext(
        input.feed(), input.language(), input.maxRecordBytes(), in, warnings, meter);
  }

  /** Whether files may be Avro containers, which are recognized by their first bytes. */
  public boolean readsContainers() {
    return input.encoding() != InputConfig.Encoding.TEXT;
  }

  /**
   * Creates an envelope of a record from an Avro container file. Its original bytes are the
   * single-object encoding, because the record's own bytes cannot be read without the file.
   *
   * @param record a {@link Sentence} or a {@link Translation}
   * @param origin where it came from
   */
  public Envelope read(SpecificRecord record, SourcePosition origin) {
    open();
    byte[] value =
        record instanceof Translation translation
            ? translations.encode(translation)
            : sentences.encode((Sentence) record);
    Sentence sentence =
        record instanceof Translation translation ? sentence(translation) : (Sentence) record;
    ByteBuffer original = ByteBuffer.wrap(value);
    Envelope.Builder envelope = Envelope.newBuilder().setOrigin(origin).setOriginal(original);
    try {
      checkSize(value);
      Sentence completed = completed(sentence, List.of(), origin);
      checkTime(completed, origin);
      envelope.setSentence(completed);
    } catch (RecordException e) {
      envelope.setFailure(DeadLetters.letter(original, null, List.of(), origin, STAGE, e));
    }
    return envelope.build();
  }

  /**
   * Refuses bytes that contain no readable record.
   *
   * @param original the bytes
   * @param origin where it came from
   * @param reason the failure
   */
  public Envelope refuse(ByteBuffer original, SourcePosition origin, Throwable reason) {
    return Envelope.newBuilder()
        .setOrigin(origin)
        .setOriginal(original)
        .setFailure(DeadLetters.letter(original, null, List.of(), origin, STAGE, reason))
        .build();
  }

  private Sentence sentence(byte[] value, List<Header> headers, SourcePosition origin)
      throws RecordFormatException {
    if (value == null) {
      // a tombstone deletes its key: there is nothing to translate
      throw new RecordException(NO_VALUE);
    }
    checkSize(value);
    return switch (input.encoding()) {
      case AVRO -> avro(value, headers, origin);
      case TEXT -> text(value, headers, origin);
      case AUTO ->
          RecordCodec.isSingleObject(value)
              ? avro(value, headers, origin)
              : text(value, headers, origin);
    };
  }

  private void checkSize(byte[] value) {
    if (value.length > input.maxRecordBytes()) {
      throw new RecordException(
          "the record has "
              + value.length
              + " bytes, but the maximum is "
              + input.maxRecordBytes()
              + "; split it, or raise input.max-record-bytes");
    }
  }

  /**
   * Refuses an event time in the far future, such as one in microseconds: watermarks follow the
   * highest time, so it would make all later records late. A source's timestamp may be just as
   * wrong, so the clock limits both.
   */
  private void checkTime(Sentence sentence, SourcePosition origin) {
    long time = sentence.getEventTime().toEpochMilli();
    long source = origin.getTimestamp().toEpochMilli();
    long now = clock.millis();
    boolean bySource = source > 0 && source < now; // 0 and below: the producer set no time
    long from = bySource ? source : now;
    if (from <= Long.MAX_VALUE - maxAheadMillis && time > from + maxAheadMillis) {
      throw new RecordException(
          "the event time of "
              + time
              + " ms since 1970 is too far ahead of "
              + (bySource ? "the source's timestamp, " : "the clock, ")
              + Instant.ofEpochMilli(from)
              + ": the maximum is "
              + Duration.ofMillis(maxAheadMillis)
              + "; send the time in milliseconds, or raise event-time.max-ahead");
    }
  }

  private Sentence text(byte[] value, List<Header> headers, SourcePosition origin)
      throws RecordFormatException {
    String feed = input.feed().isEmpty() ? origin.getSource() : input.feed();
    return PlainText.sentence(
        value, id(origin), feed, input.language(), origin.getTimestamp(), headers);
  }

  private Sentence avro(byte[] value, List<Header> headers, SourcePosition origin)
      throws RecordFormatException {
    open();
    Sentence sentence =
        translations.reads(value) ? sentence(translations.decode(value)) : sentences.decode(value);
    return completed(sentence, headers, origin);
  }

  private void open() {
    if (sentences == null) {
      sentences = RecordCodec.of(Sentence.class);
      translations = RecordCodec.of(Translation.class);
    }
  }

  /** Converts another job's translation to a sentence of this job. */
  private static Sentence sentence(Translation translation) {
    Sentence source = translation.getSource();
    if (translation.getText().equals(source.getText())
        && translation.getTargetLanguage().equals(source.getLanguage())) {
      return source; // written by a job that translates nothing
    }
    List<EarlierText> earlier = new ArrayList<>(source.getTranslatedFrom());
    earlier.add(
        new EarlierText(
            source.getLanguage(),
            source.getText(),
            translation.getModelId(),
            translation.getModelVersion()));
    return Sentence.newBuilder(source)
        .setLanguage(translation.getTargetLanguage())
        .setText(translation.getText())
        .setTranslatedFrom(earlier)
        .build();
  }

  /** Fills in fields that the producer left empty. */
  private Sentence completed(Sentence sentence, List<Header> headers, SourcePosition origin) {
    if (sentence.getId().isEmpty()) {
      sentence.setId(id(origin));
    }
    if (sentence.getLanguage().isEmpty()) {
      sentence.setLanguage(input.language());
    }
    if (sentence.getEventTime().equals(Instant.EPOCH)) {
      // from producers that set no time
      sentence.setEventTime(origin.getTimestamp());
    }
    if (!headers.isEmpty()) {
      sentence.setHeaders(joined(sentence.getHeaders(), headers));
    }
    return sentence;
  }

  /**
   * Merges the headers within a record and beside it, without duplicates of those that a job wrote
   * to both places.
   */
  private static List<Header> joined(List<Header> within, List<Header> beside) {
    if (within.size() <= beside.size() && within.equals(beside.subList(0, within.size()))) {
      return beside;
    }
    List<Header> all = new ArrayList<>(within);
    all.addAll(beside);
    return all;
  }

  /** Generates an id for a record without one; reproducible if its source has offsets. */
  private static String id(SourcePosition origin) {
    return origin.getPartition() < 0
        ? origin.getSource() + "-" + origin.getOffset()
        : origin.getSource() + "-" + origin.getPartition() + "-" + origin.getOffset();
  }
}
