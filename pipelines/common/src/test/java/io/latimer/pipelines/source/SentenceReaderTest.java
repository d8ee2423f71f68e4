package io.latimer.pipelines.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.source.InputConfig.Encoding;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.EarlierText;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Origin;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SentenceReaderTest {
  private static final Instant TIME = Instant.parse("2026-11-21T12:00:00Z");
  private static final Origin KAFKA = new Origin("news", 3, 42L, TIME);
  private static final Header HEADER = new Header("trace", ByteBuffer.wrap(new byte[] {1, 2}));
  private static final Header OTHER = new Header("other", null);
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);
  private static final RecordCodec<Sentence> CODEC = RecordCodec.of(Sentence.class);

  private static SentenceReader reader(Encoding encoding) {
    return new SentenceReader(new InputConfig(encoding, "wire", "en", 64));
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
    Origin line = new Origin("/data/in.txt", -1, 5L, TIME);
    Sentence read =
        new SentenceReader(InputConfig.DEFAULTS)
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
    SentenceReader reader = new SentenceReader(InputConfig.DEFAULTS);
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
