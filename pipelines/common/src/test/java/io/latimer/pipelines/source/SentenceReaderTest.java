package io.latimer.pipelines.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.source.InputConfig.Encoding;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.EarlierText;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import io.latimer.schemas.Translation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SentenceReaderTest {
  private static final Instant TIME = Instant.parse("2026-11-21T12:00:00Z");
  private static final Duration AHEAD = Duration.ofDays(1);
  private static final Clock NOW = Clock.fixed(TIME.plusSeconds(60), ZoneOffset.UTC);
  private static final SourcePosition KAFKA = new SourcePosition("news", 3, 42L, TIME);
  private static final Header HEADER = new Header("trace", ByteBuffer.wrap(new byte[] {1, 2}));
  private static final Header OTHER = new Header("other", null);
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);
  private static final RecordCodec<Sentence> CODEC = RecordCodec.of(Sentence.class);

  private static SentenceReader reader(Encoding encoding) {
    return new SentenceReader(new InputConfig(encoding, "wire", "en", 64), AHEAD, NOW);
  }

  private static Envelope read(Encoding encoding, byte[] value) {
    return reader(encoding).read(value, ByteBuffer.wrap(new byte[] {7}), List.of(HEADER), KAFKA);
  }

  private static DeadLetter refused(Encoding encoding, byte[] value) {
    Envelope envelope = read(encoding, value);
    assertThat(envelope.getSentence()).isNull();
    DeadLetter letter = envelope.getFailure();
    assertThat(letter.getOriginal())
        .isEqualTo(ByteBuffer.wrap(value == null ? new byte[0] : value));
    assertThat(letter.getKey()).isEqualTo(ByteBuffer.wrap(new byte[] {7}));
    assertThat(letter.getHeaders()).containsExactly(HEADER);
    assertThat(letter.getOrigin()).isEqualTo(KAFKA);
    assertThat(letter.getStage()).isEqualTo("read");
    // what is stored in state and sent to a topic can be encoded
    assertThat(RecordCodec.of(Envelope.class).encode(envelope)).isNotEmpty();
    return letter;
  }

  private static Sentence sentence(String id, String language, Instant time) {
    return new Sentence(id, "own", language, "Good morning.", time, List.of(), List.of());
  }

  @Test
  void aLineOfTextIsASentenceOfItsFeed() {
    Envelope envelope = read(Encoding.AUTO, "Gr\u00fc\u00df Gott \ud83d\ude00\r\n".getBytes(UTF_8));
    assertThat(envelope.getFailure()).isNull();
    assertThat(envelope.getSentence())
        .isEqualTo(
            new Sentence(
                "news-3-42",
                "wire",
                "en",
                "Gr\u00fc\u00df Gott \ud83d\ude00",
                TIME,
                List.of(HEADER),
                List.of()));
    assertThat(envelope.getOrigin()).isEqualTo(KAFKA);
    assertThat(envelope.getKey()).isEqualTo(ByteBuffer.wrap(new byte[] {7}));
    assertThat(envelope.getOriginal().remaining()).isEqualTo(18);
  }

  @Test
  void withoutAFeedTheSourceIsOne() {
    SourcePosition line = new SourcePosition("/data/in.txt", -1, 5L, TIME);
    Sentence read =
        new SentenceReader(InputConfig.DEFAULTS, AHEAD, NOW)
            .read("a".getBytes(UTF_8), null, List.of(), line)
            .getSentence();
    assertThat(read.getFeed()).isEqualTo("/data/in.txt");
    assertThat(read.getId()).isEqualTo("/data/in.txt-5");
    assertThat(read.getLanguage()).isEmpty();
  }

  @Test
  void anAvroSentenceKeepsWhatItSays() {
    Instant said = Instant.parse("2026-11-20T00:00:00Z");
    byte[] bytes = CODEC.encode(sentence("7", "fr", said));
    assertThat(read(Encoding.AUTO, bytes).getSentence())
        .isEqualTo(
            new Sentence("7", "own", "fr", "Good morning.", said, List.of(HEADER), List.of()));
    assertThat(read(Encoding.AVRO, bytes)).isEqualTo(read(Encoding.AUTO, bytes));
  }

  @Test
  void whatAnAvroSentenceDoesNotSayIsTakenFromItsRecord() {
    Sentence read =
        read(Encoding.AUTO, CODEC.encode(sentence("", "", Instant.EPOCH))).getSentence();
    assertThat(read.getId()).isEqualTo("news-3-42");
    assertThat(read.getLanguage()).isEqualTo("en");
    assertThat(read.getEventTime()).isEqualTo(TIME);
  }

  private static Translation translation(Sentence source, String language, String text) {
    return Translation.newBuilder()
        .setSource(source)
        .setTargetLanguage(language)
        .setText(text)
        .setModelId("1d0c")
        .setModelVersion("2")
        .build();
  }

  private static Sentence chained(Translation translation) {
    SentenceReader reader = new SentenceReader(InputConfig.DEFAULTS, AHEAD, NOW);
    byte[] value = TRANSLATIONS.encode(translation);
    Envelope envelope = reader.read(value, null, List.of(HEADER, OTHER), KAFKA);
    assertThat(envelope.getFailure()).isNull();
    assertThat(envelope.getTranslation()).isNull();
    assertThat(envelope.getOriginal()).isEqualTo(ByteBuffer.wrap(value));
    assertThat(envelope.getOrigin()).isEqualTo(KAFKA);
    assertThat(reader.read(translation, KAFKA).getSentence().getText())
        .isEqualTo(envelope.getSentence().getText());
    return envelope.getSentence();
  }

  @Test
  void theTranslationOfAnotherJobIsASentenceThatKeepsWhereItCameFrom() {
    Instant said = Instant.parse("2026-11-20T00:00:00Z");
    Sentence english =
        new Sentence("7", "own", "en", "Good morning.", said, List.of(HEADER), List.of());
    Sentence german = chained(translation(english, "de", "Guten Morgen."));
    EarlierText first = new EarlierText("en", "Good morning.", "1d0c", "2");
    // the job that wrote it wrote the header beside it, too; another was added since
    assertThat(german)
        .isEqualTo(
            new Sentence(
                "7", "own", "de", "Guten Morgen.", said, List.of(HEADER, OTHER), List.of(first)));

    Sentence french = chained(translation(german, "fr", "Bonjour."));
    assertThat(french.getTranslatedFrom())
        .containsExactly(first, new EarlierText("de", "Guten Morgen.", "1d0c", "2"));
    assertThat(french.getHeaders()).containsExactly(HEADER, OTHER);
  }

  @Test
  void whatAJobDidNotTranslateHasNoEarlierText() {
    Sentence sentence = sentence("7", "en", TIME);
    assertThat(chained(translation(sentence, "en", sentence.getText())).getTranslatedFrom())
        .isEmpty();
  }

  @Test
  void aTranslationThatIsDamagedIsADeadLetter() {
    byte[] whole = TRANSLATIONS.encode(translation(sentence("7", "en", TIME), "de", "Gut."));
    byte[] cut = Arrays.copyOf(whole, 40);
    assertThat(refused(Encoding.AUTO, cut).getErrorMessage())
        .contains("cannot decode a Translation");
  }

  @Test
  void poisonBecomesADeadLetterWithItsBytesAndItsReason() {
    assertThat(refused(Encoding.AUTO, new byte[] {'a', (byte) 0xFF}).getErrorMessage())
        .containsIgnoringCase("UTF-8");
    assertThat(refused(Encoding.AUTO, new byte[] {(byte) 0xC3, 1, 2}).getErrorMessage())
        .contains("fingerprint");
    assertThat(refused(Encoding.AVRO, "plain".getBytes(UTF_8)).getErrorMessage())
        .contains("single-object");
    byte[] whole = CODEC.encode(sentence("7", "fr", TIME));
    assertThat(refused(Encoding.AUTO, Arrays.copyOf(whole, whole.length - 3)).getErrorMessage())
        .contains("cannot decode a Sentence");
    assertThat(refused(Encoding.TEXT, whole).getErrorMessage()).containsIgnoringCase("UTF-8");
    assertThat(refused(Encoding.AUTO, null).getErrorMessage()).contains("no value");
  }

  @Test
  void aRecordThatIsTooLongIsADeadLetter() {
    byte[] longest = "x".repeat(64).getBytes(UTF_8);
    assertThat(read(Encoding.AUTO, longest).getFailure()).isNull();
    assertThat(refused(Encoding.AUTO, "x".repeat(65).getBytes(UTF_8)).getErrorMessage())
        .contains("has 65 bytes, but the maximum is 64")
        .contains("max-record-bytes");
  }

  private static String refusedTime(Instant eventTime, Instant source) {
    byte[] value = CODEC.encode(sentence("7", "en", eventTime));
    SourcePosition origin = new SourcePosition("news", 3, 42L, source);
    Envelope envelope = reader(Encoding.AUTO).read(value, null, List.of(), origin);
    Envelope ofFile = reader(Encoding.AUTO).read(sentence("7", "en", eventTime), origin);
    assertThat(ofFile.getFailure() == null).isEqualTo(envelope.getFailure() == null);
    assertThat(envelope.getSentence() == null).isEqualTo(envelope.getFailure() != null);
    return envelope.getFailure() == null ? "" : envelope.getFailure().getErrorMessage();
  }

  @Test
  void anEventTimeTooFarAheadIsADeadLetter() {
    assertThat(refusedTime(TIME.plus(AHEAD), TIME)).isEmpty();
    assertThat(refusedTime(TIME.plus(AHEAD).plusMillis(1), TIME))
        .contains("the source's timestamp, 2026-11-21T12:00:00Z", "PT24H", "event-time.max-ahead");
    // microseconds for milliseconds
    assertThat(refusedTime(Instant.ofEpochMilli(TIME.toEpochMilli() * 1000), TIME))
        .contains("1795262400000000 ms");
    for (long extreme : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 2}) {
      Instant lie = Instant.ofEpochMilli(extreme);
      assertThat(refusedTime(lie, TIME)).contains(extreme + " ms");
      // the source lies, too, or has no time
      assertThat(refusedTime(lie, lie)).contains("ahead of the clock, 2026-11-21T12:01:00Z");
      assertThat(refusedTime(lie, Instant.EPOCH)).contains("ahead of the clock");
      assertThat(refusedTime(lie, Instant.ofEpochMilli(Long.MIN_VALUE))).contains("the clock");
      assertThat(refusedTime(Instant.EPOCH, lie)).contains(extreme + " ms");
    }
  }

  @Test
  void anEventTimeInThePastIsKept() {
    for (long past : new long[] {Long.MIN_VALUE, -1, 1, TIME.toEpochMilli()}) {
      assertThat(refusedTime(Instant.ofEpochMilli(past), TIME)).isEmpty();
      assertThat(refusedTime(Instant.ofEpochMilli(past), Instant.ofEpochMilli(Long.MIN_VALUE)))
          .isEmpty();
    }
    // a source without a time does not make every sentence one from the future
    assertThat(refusedTime(TIME, Instant.EPOCH)).isEmpty();
  }

  @Test
  void aLineHasTheTimeOfItsSourceWhichMustNotBeAheadOfTheClock() {
    SourcePosition origin =
        new SourcePosition("news", 3, 42L, Instant.ofEpochMilli(Long.MAX_VALUE / 2));
    Envelope envelope = reader(Encoding.TEXT).read("a".getBytes(UTF_8), null, List.of(), origin);
    assertThat(envelope.getFailure().getErrorMessage()).contains("ahead of the clock");
  }

  @Test
  void anEmptyRecordIsAnEmptySentence() {
    assertThat(read(Encoding.AUTO, new byte[0]).getSentence().getText()).isEmpty();
  }

  @Test
  void aReaderTravels() throws IOException, ClassNotFoundException {
    SentenceReader reader = reader(Encoding.AUTO);
    byte[] avro = CODEC.encode(sentence("7", "fr", TIME));
    reader.read(avro, null, List.of(), KAFKA); // creates its codec
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(reader);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      SentenceReader arrived = (SentenceReader) in.readObject();
      assertThat(arrived.read(avro, null, List.of(), KAFKA))
          .isEqualTo(reader.read(avro, null, List.of(), KAFKA));
    }
  }
}
