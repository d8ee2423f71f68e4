package io.latimer.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordCodecTest {
  private static final int HEADER_BYTES = 10;

  private final RecordCodec<Sentence> sentences = RecordCodec.of(Sentence.class);
  private final RecordCodec<Translation> translations = RecordCodec.of(Translation.class);
  private final RecordCodec<DeadLetter> deadLetters = RecordCodec.of(DeadLetter.class);
  private final RecordCodec<Envelope> envelopes = RecordCodec.of(Envelope.class);

  @ParameterizedTest
  @FieldSource("io.latimer.schemas.ReleasedSchemas#NAMES")
  void everyKindComesBackAsItWas(String name) throws Exception {
    assertThat(throughCodec(Samples.of(name))).isEqualTo(Samples.of(name));
  }

  @SuppressWarnings("unchecked")
  private static <T extends SpecificRecord> T throughCodec(T record) throws Exception {
    RecordCodec<T> codec = RecordCodec.of((Class<T>) record.getClass());
    return codec.decode(codec.encode(record));
  }

  /** Operations that Avro does not support for all types: a timestamp in a union breaks some. */
  @Test
  void recordsCanBeHashedPrintedAndCopied() {
    for (String name : ReleasedSchemas.NAMES) {
      SpecificRecord one = Samples.of(name);
      assertThat(one).hasSameHashCodeAs(Samples.of(name));
      boolean hasTime = one.getSchema().toString().contains("timestamp-millis");
      assertThat(one.toString()).contains(hasTime ? "2026-11-21T08:15:3" : "{\"");
      assertThat(SpecificData.getForClass(one.getClass()).deepCopy(one.getSchema(), one))
          .isEqualTo(one)
          .isNotSameAs(one);
      assertThat(SpecificData.get().compare(one, Samples.of(name), one.getSchema())).isZero();
    }
  }

  @Test
  void optionalFieldsMayBeAbsent() throws Exception {
    Envelope poison =
        Envelope.newBuilder()
            .setOrigin(
                SourcePosition.newBuilder().setSource("socket").setTimestamp(Instant.EPOCH).build())
            .setOriginal(ByteBuffer.wrap(new byte[] {1}))
            .build();
    Envelope back = envelopes.decode(envelopes.encode(poison));
    assertThat(back).isEqualTo(poison);
    assertThat(back.getSentence()).isNull();
    assertThat(back.getOrigin().getOffset()).isEqualTo(-1L);
  }

  @Test
  void everythingIsAString() throws Exception {
    Sentence back = sentences.decode(sentences.encode(Samples.sentence()));
    assertThat(back.get(0)).isInstanceOf(String.class);
    assertThat(back.getHeaders().get(0).get(0)).isInstanceOf(String.class);
  }

  @Test
  void encodingReadsItsRecordWithoutMovingItsBuffers() {
    DeadLetter letter = Samples.deadLetter();
    assertThat(deadLetters.encode(letter)).isEqualTo(deadLetters.encode(letter));
    assertThat(letter).isEqualTo(Samples.deadLetter());
  }

  @Test
  void headerIsTheMarkAndTheFingerprintLittleEndian() {
    byte[] encoded = sentences.encode(Samples.sentence());
    long fingerprint = SchemaNormalization.parsingFingerprint64(Sentence.getClassSchema());
    assertThat(encoded[0]).isEqualTo((byte) 0xC3);
    assertThat(encoded[1]).isEqualTo((byte) 0x01);
    for (int i = 0; i < Long.BYTES; i++) {
      assertThat(encoded[2 + i]).isEqualTo((byte) (fingerprint >>> (8 * i)));
    }
  }

  @Test
  void theRecordIsWhatAvroItselfWrites() throws Exception {
    Envelope envelope = Samples.envelope();
    assertThat(envelopes.encode(envelope)).isEqualTo(bytes(Envelope.getEncoder().encode(envelope)));
    NgramTable table = Samples.ngramTable();
    assertThat(RecordCodec.of(NgramTable.class).encode(table))
        .isEqualTo(bytes(NgramTable.getEncoder().encode(table)));
    Translation translation = Samples.translation();
    for (int repeat : List.of(1, 100, 1_000, 30_000)) {
      translation.setText("Größer als alles zuvor. ".repeat(repeat));
      assertThat(translations.encode(translation))
          .isEqualTo(bytes(Translation.getEncoder().encode(translation)));
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  @Test
  void aRecordOfAnotherKindIsNamed() {
    byte[] translation = translations.encode(Samples.translation());
    assertThatThrownBy(() -> sentences.decode(translation))
        .isInstanceOf(RecordFormatException.class)
        .hasMessage(
            "the record is a Translation (version "
                + ReleasedSchemas.of("Translation").newest()
                + "), but a Sentence is expected here");
  }

  @Test
  void recordsAreToldApartByTheirFirstBytes() {
    byte[] translation = translations.encode(Samples.translation());
    assertThat(translations.reads(translation)).isTrue();
    assertThat(sentences.reads(translation)).isFalse();
    assertThat(translations.reads(Arrays.copyOf(translation, HEADER_BYTES - 1))).isFalse();
    assertThat(translations.reads("no record".getBytes(StandardCharsets.UTF_8))).isFalse();
  }

  /** Fields that it lacks have their defaults; it is written as the newest version. */
  @Test
  void anOlderVersionIsRead() throws Exception {
    RecordCodec<MadeUp> codec = RecordCodec.of(MadeUp.class);
    byte[] first = golden(1);
    assertThat(codec.reads(first)).isTrue();
    MadeUp read = codec.decode(first);
    assertThat(read)
        .isEqualTo(
            MadeUp.of("whole", List.of(MadeUp.of("größer", List.of(), 1.0, null)), 1.0, null));
    assertThat(codec.encode(read)).startsWith(Arrays.copyOf(golden(2), HEADER_BYTES));
    assertThat(codec.decode(golden(2))).isEqualTo(MadeUp.sample());
  }

  @Test
  void theVersionOfABadRecordIsNamed() throws Exception {
    RecordCodec<MadeUp> codec = RecordCodec.of(MadeUp.class);
    byte[] first = Arrays.copyOf(golden(1), HEADER_BYTES);
    assertThatThrownBy(() -> codec.decode(first)).hasMessageContaining("cannot decode a MadeUp");
    byte[] second = golden(2);
    second[second.length - 7] = 4; // of the note's union
    assertThatThrownBy(() -> codec.decode(second)).hasMessageContaining("do not fit version 2");
    Arrays.fill(second, 2, HEADER_BYTES, (byte) 0xAB);
    assertThatThrownBy(() -> codec.decode(second))
        .hasMessageContaining("versions 1 to 2 of MadeUp are known");
  }

  private static byte[] golden(int version) throws IOException {
    return Files.readAllBytes(Path.of("src/test/resources/golden/MadeUp", version + ".bin"));
  }

  @Test
  void anUnknownFingerprintIsNamed() {
    byte[] encoded = sentences.encode(Samples.sentence());
    Arrays.fill(encoded, 2, HEADER_BYTES, (byte) 0xAB);
    RecordFormatException error = refused(encoded);
    assertThat(error).hasMessageContaining("abababababababab").hasMessageContaining("newer");
    assertThat(error.position()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plain text", "\u00C3"})
  void whatHasNoMarkIsRefused(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertThat(RecordCodec.isSingleObject(bytes)).isFalse();
    assertThat(refused(bytes)).hasMessageContaining("must begin with C3 01");
  }

  /** Truncation anywhere gives an error of the right type with an offset within the bytes. */
  @Test
  void everyTruncationIsRefused() {
    byte[] encoded = envelopes.encode(Samples.envelope());
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      RecordFormatException error =
          catchThrowableOfType(RecordFormatException.class, () -> envelopes.decode(cut));
      assertThat(error).as("cut to %d bytes", length).isNotNull();
      assertThat(error.position()).isBetween(0L, (long) length);
    }
  }

  @Test
  void trailingBytesAreRefused() {
    byte[] encoded = sentences.encode(Samples.sentence());
    RecordFormatException error = refused(Arrays.copyOf(encoded, encoded.length + 3));
    assertThat(error).hasMessageContaining("3 surplus bytes follow a Sentence");
    assertThat(error.position()).isEqualTo(encoded.length);
  }

  /** Avro's own decoder would allocate two gigabytes here. */
  @Test
  void lyingStringLengthTakesNoMemory() {
    RecordFormatException error = refused(body(varint(Integer.MAX_VALUE - 16)));
    assertThat(error)
        .hasMessageContaining("a string of length 2147483631 is announced, but 0 bytes remain");
    assertThat(error.position()).isEqualTo(HEADER_BYTES);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, (1L << 32) + 1})
  void absurdStringLengthsAreRefused(long length) {
    assertThat(refused(body(varint(length), new byte[] {'a', 'b'})))
        .hasMessageContaining("a string of length " + length);
  }

  @ParameterizedTest
  @ValueSource(longs = {6, Integer.MAX_VALUE - 16, 1L << 33, Long.MAX_VALUE})
  void absurdItemCountsAreRefused(long count) {
    assertThat(refused(upToHeaders(varint(count), new byte[5])))
        .hasMessageContaining("a block of " + count + " items is announced, but 5 bytes remain");
  }

  @Test
  void absurdBlockSizesAreRefused() {
    assertThat(refused(upToHeaders(varint(-1), varint(1L << 40), new byte[5])))
        .hasMessageContaining("a block of 1099511627776 bytes");
    assertThat(refused(upToHeaders(varint(-1), varint(-3), new byte[5])))
        .hasMessageContaining("a block of -3 bytes");
    assertThat(refused(upToHeaders(varint(Long.MIN_VALUE), varint(1), new byte[5])))
        .hasMessageContaining("a block of 9223372036854775808 items");
  }

  /** Other writers may announce a block's size, and may use several blocks. */
  @Test
  void blocksWithSizesAreRead() throws Exception {
    byte[] item = {2, 'k', 0};
    byte[] encoded =
        upToHeaders(varint(-1), varint(item.length), item, varint(1), item, varint(0), varint(0));
    assertThat(sentences.decode(encoded).getHeaders())
        .containsExactly(new Header("k", null), new Header("k", null));
  }

  @Test
  void aUnionBranchThatDoesNotExistIsRefused() {
    RecordFormatException error =
        refused(upToHeaders(varint(1), new byte[] {2, 'k'}, varint(7), varint(0)));
    assertThat(error).hasMessageContaining("do not fit version 1");
  }

  @Test
  void overlongNumbersAreRefused() {
    byte[] endless = new byte[11];
    Arrays.fill(endless, (byte) 0x80);
    assertThat(refused(body(endless))).hasMessageContaining("a long is longer than it can be");
    byte[] tooHigh = new byte[10];
    Arrays.fill(tooHigh, (byte) 0xFF);
    tooHigh[9] = 0x02;
    assertThat(refused(body(tooHigh))).hasMessageContaining("a long is longer than it can be");
  }

  @Test
  void malformedUtf8IsRefusedWithItsPosition() {
    byte[] encoded = sentences.encode(Samples.sentence());
    encoded[HEADER_BYTES + 1 + 4] = (byte) 0xFF;
    RecordFormatException error = refused(encoded);
    assertThat(error).hasMessageContaining("malformed UTF-8 at byte 15 (0xFF)");
    assertThat(error.position()).isEqualTo(15);
  }

  @Test
  void aReplacementCharacterThatWasSentIsKept() throws Exception {
    Sentence sentence = Samples.sentence();
    sentence.setText("what \uFFFD is");
    assertThat(sentences.decode(sentences.encode(sentence)).getText()).isEqualTo("what \uFFFD is");
  }

  @ParameterizedTest
  @ValueSource(ints = {0xD83D, 0xDC08})
  void unpairedSurrogatesAreRefused(int surrogate) {
    for (String text : List.of((char) surrogate + "a", "a" + (char) surrogate)) {
      Sentence sentence = Samples.sentence();
      sentence.setText(text);
      assertThatThrownBy(() -> sentences.encode(sentence))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(String.format("unpaired surrogate U+%04X", surrogate));
    }
  }

  @Test
  void missingFieldIsNamed() {
    Sentence sentence = new Sentence();
    sentence.setEventTime(Instant.EPOCH);
    assertThatThrownBy(() -> sentences.encode(sentence))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot encode a Sentence")
        .hasMessageContaining("id");
  }

  /** A hundred thousand damaged records: each is either read or refused. */
  @Test
  void damagedBytesNeverEscapeAsAnythingElse() {
    byte[] good = envelopes.encode(Samples.envelope());
    Random random = new Random(42);
    int refused = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] damaged = good.clone();
      for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
        damaged[HEADER_BYTES + random.nextInt(good.length - HEADER_BYTES)] =
            (byte) random.nextInt(256);
      }
      try {
        assertThat(envelopes.decode(damaged)).isNotNull();
      } catch (RecordFormatException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(1_000, 99_999);
  }

  @Test
  void oneCodecServesSeveralThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> tasks =
          IntStream.range(0, 4).<Callable<Integer>>mapToObj(t -> () -> roundTrips(t)).toList();
      for (Future<Integer> result : threads.invokeAll(tasks)) {
        assertThat(result.get()).isEqualTo(2_000);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private int roundTrips(int thread) throws RecordFormatException {
    int same = 0;
    for (int i = 0; i < 2_000; i++) {
      Envelope envelope = Samples.envelope();
      envelope.getSentence().setText("thread " + thread + " record " + i);
      if (envelopes.decode(envelopes.encode(envelope)).equals(envelope)) {
        same++;
      }
    }
    return same;
  }

  private RecordFormatException refused(byte[] bytes) {
    RecordFormatException error =
        catchThrowableOfType(RecordFormatException.class, () -> sentences.decode(bytes));
    assertThat(error).isNotNull();
    return error;
  }

  /** A sentence's header followed by these bytes. */
  private byte[] body(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(Arrays.copyOf(sentences.encode(Samples.sentence()), HEADER_BYTES));
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /** A sentence with empty texts at time 0, whose array of headers is these bytes. */
  private byte[] upToHeaders(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[5]);
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return body(out.toByteArray());
  }

  private static byte[] varint(long value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long zigzag = (value << 1) ^ (value >> 63);
    while ((zigzag & ~0x7FL) != 0) {
      out.write((int) ((zigzag & 0x7F) | 0x80));
      zigzag >>>= 7;
    }
    out.write((int) zigzag);
    return out.toByteArray();
  }
}
