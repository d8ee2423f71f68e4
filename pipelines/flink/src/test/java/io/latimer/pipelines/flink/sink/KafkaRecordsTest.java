package io.latimer.pipelines.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.kafka.KafkaReader;
import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.pipelines.source.Tombstones;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class KafkaRecordsTest {
  private static final RecordHeaders HEADERS =
      new RecordHeaders(
          List.of(new RecordHeader("a", bytes("1")), new RecordHeader("a", (byte[]) null)));

  @Test
  void aPlainLineKeepsWhatItsKafkaRecordHas() {
    Envelope envelope = read(bytes("key"), bytes("Hello."));
    assertThat(envelope.getFailure()).isNull();
    assertThat(envelope.getSentence().getText()).isEqualTo("Hello.");
    assertThat(envelope.getSentence().getEventTime()).isEqualTo(Instant.ofEpochMilli(1234));
    assertThat(envelope.getOrigin().getSource()).isEqualTo("topic");
    assertThat(envelope.getOrigin().getPartition()).isEqualTo(3);
    assertThat(envelope.getOrigin().getOffset()).isEqualTo(42);
    assertThat(envelope.getOriginal()).isEqualTo(ByteBuffer.wrap(bytes("Hello.")));
    assertThat(envelope.getKey()).isEqualTo(ByteBuffer.wrap(bytes("key")));
  }

  @Test
  void aTranslationHasTheKeyHeadersAndEventTimeOfItsSentence() throws Exception {
    Envelope envelope = translated(read(bytes("key"), bytes("Hello.")));
    ProducerRecord<byte[], byte[]> record = write(envelope);
    assertThat(record.topic()).isEqualTo("out");
    assertThat(record.partition()).isNull();
    assertThat(record.key()).isEqualTo(bytes("key"));
    assertThat(record.timestamp()).isEqualTo(1234);
    assertThat(record.headers()).containsExactly(HEADERS.toArray());
    assertThat(RecordCodec.of(Translation.class).decode(record.value()))
        .isEqualTo(envelope.getTranslation());
  }

  @Test
  void aRecordWithoutAKeyStaysWithoutOne() throws Exception {
    assertThat(write(translated(read(null, bytes("Hello.")))).key()).isNull();
  }

  @Test
  void aTimeThatKafkaRefusesIsLeftToTheBroker() throws Exception {
    assertThat(write(translated(Envelopes.of("ancient", -1))).timestamp()).isNull();
  }

  @Test
  void aDeadLetterHasTheOriginalBytes() throws Exception {
    byte[] poison = {(byte) 0xFF, 0, 1};
    Envelope envelope = read(bytes("key"), poison);
    DeadLetterWriter writer = new DeadLetterWriter("dead", 1 << 20);
    writer.open(null, null);
    ProducerRecord<byte[], byte[]> record = writer.serialize(envelope, null, null);
    DeadLetter letter = RecordCodec.of(DeadLetter.class).decode(record.value());
    assertThat(letter.getOriginal()).isEqualTo(ByteBuffer.wrap(poison));
    assertThat(letter.getOrigin()).isEqualTo(envelope.getOrigin());
    assertThat(record.key()).isEqualTo(bytes("key"));
    assertThat(record.headers()).containsExactly(HEADERS.toArray());
    assertThat(record.timestamp()).isEqualTo(1234);
  }

  @Test
  void aDeadLetterThatDoesNotFitIsCutAndSaysSo() throws Exception {
    byte[] poison = new byte[5_000];
    Arrays.fill(poison, (byte) 0xFF);
    DeadLetterWriter writer = new DeadLetterWriter("dead", 4_000);
    writer.open(null, null);
    ProducerRecord<byte[], byte[]> record = writer.serialize(read(bytes("key"), poison), null, 0L);
    assertThat(record.key().length + record.value().length).isBetween(3_500, 4_000);
    DeadLetter letter = RecordCodec.of(DeadLetter.class).decode(record.value());
    int kept = letter.getOriginal().remaining();
    assertThat(letter.getOriginal()).isEqualTo(ByteBuffer.wrap(poison, 0, kept));
    assertThat(letter.getErrorMessage()).contains("the first " + kept + " of the record's 5000");
    assertThat(letter.getHeaders()).hasSize(2);
  }

  @Test
  void aDeadLetterFitsWhateverIsLargeInIt() throws Exception {
    byte[] large = new byte[3_000];
    Arrays.fill(large, (byte) 0xFF);
    String message = "\ud83d\ude00".repeat(1_500);
    List<Header> headers = List.of(new Header("h", ByteBuffer.wrap(large)));
    DeadLetter whole = read(bytes("key"), new byte[] {(byte) 0xFF}).getFailure();
    List<DeadLetter> letters =
        List.of(
            DeadLetter.newBuilder(whole).setKey(ByteBuffer.wrap(large)).build(),
            DeadLetter.newBuilder(whole).setErrorMessage(message).build(),
            DeadLetter.newBuilder(whole).setHeaders(headers).build(),
            DeadLetter.newBuilder(whole)
                .setOriginal(ByteBuffer.wrap(large))
                .setKey(ByteBuffer.wrap(large))
                .setErrorMessage(message)
                .setHeaders(headers)
                .build());
    DeadLetterWriter writer = new DeadLetterWriter("dead", 2_500);
    writer.open(null, null);
    for (DeadLetter letter : letters) {
      Envelope envelope = read(bytes("key"), new byte[] {(byte) 0xFF});
      envelope.setFailure(letter);
      ProducerRecord<byte[], byte[]> record = writer.serialize(envelope, null, 0L);
      int key = record.key() == null ? 0 : record.key().length;
      assertThat(key + record.value().length).isLessThanOrEqualTo(2_500);
      assertThat(record.headers()).isEmpty();
      DeadLetter written = RecordCodec.of(DeadLetter.class).decode(record.value());
      int kept = written.getOriginal().remaining();
      assertThat(kept).isPositive();
      assertThat(written.getOriginal()).isEqualTo(letter.getOriginal().slice(0, kept));
      assertThat(written.getOrigin()).isEqualTo(letter.getOrigin());
      assertThat(written.getErrorMessage())
          .startsWith(letter.getErrorMessage().substring(0, 20))
          .containsPattern("the first " + kept + " of the record's .*(was truncated|were dropped)");
      if (record.key() != null) {
        // the Kafka record has the whole key or none
        assertThat(record.key()).isEqualTo(bytes("key"));
      }
    }
  }

  @Test
  void aRecordIsWrittenAsJsonOrAsItsTextToo() throws Exception {
    Envelope envelope = translated(read(bytes("key"), bytes("Hello.")));
    envelope.getTranslation().setText("Hallo\nWelt.");
    ProducerRecord<byte[], byte[]> json = write(envelope, Format.JSON);
    assertThat(json.value()).isEqualTo(bytes(RecordJson.of(envelope.getTranslation())));
    assertThat(json.key()).isEqualTo(bytes("key"));
    assertThat(json.timestamp()).isEqualTo(1234);
    assertThat(json.headers()).containsExactly(HEADERS.toArray());
    assertThat(write(envelope, Format.TEXT).value()).isEqualTo(bytes("Hallo Welt."));
  }

  @Test
  void timesThatKafkaRefusesAreLeftToIt() {
    long now = System.currentTimeMillis();
    assertThat(KafkaBytes.record("t", now, null, new byte[0], List.of()).timestamp())
        .isEqualTo(now);
    for (long refused : List.of(-1L, now + 86_400_000, Long.MAX_VALUE)) {
      assertThat(KafkaBytes.record("t", refused, null, new byte[0], List.of()).timestamp())
          .isNull();
    }
  }

  @Test
  void aSentenceThatNoStageTranslatesIsWrittenItself() throws Exception {
    Envelope envelope = read(bytes("key"), bytes("\u20ac".repeat(1_000)));
    byte[] value = write(envelope).value();
    assertThat(RecordCodec.of(Sentence.class).decode(value)).isEqualTo(envelope.getSentence());
  }

  @Test
  void aRecordWithoutATimeHasTheTimeOfReading() {
    Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    Envelope envelope = read(bytes("key"), bytes("text"), ConsumerRecord.NO_TIMESTAMP);
    assertThat(envelope.getFailure()).isNull();
    assertThat(envelope.getOrigin().getTimestamp()).isBetween(before, Instant.now());
    assertThat(envelope.getSentence().getEventTime())
        .isEqualTo(envelope.getOrigin().getTimestamp());
  }

  @Test
  void aForwardedTombstoneKeepsAllButAValue() throws Exception {
    Envelope envelope = read(bytes("key"), null, 1234, Tombstones.FORWARD);
    for (Format format : Format.values()) {
      ProducerRecord<byte[], byte[]> record = write(envelope, format);
      assertThat(record.key()).isEqualTo(bytes("key"));
      assertThat(record.value()).isNull();
      assertThat(record.timestamp()).isEqualTo(1234);
      assertThat(record.headers()).containsExactly(HEADERS.toArray());
    }
  }

  @Test
  void otherRecordsAreNoTombstones() {
    List<Envelope> others =
        List.of(
            read(bytes("key"), new byte[0], 1234, Tombstones.FORWARD),
            read(null, null, 1234, Tombstones.FORWARD),
            read(bytes("key"), null, 1234, Tombstones.DEAD_LETTER));
    assertThat(others).noneMatch(io.latimer.pipelines.record.Envelopes::isTombstone);
    assertThat(others.subList(1, 3))
        .allMatch(one -> one.getFailure().getErrorMessage().contains("has no value"));
  }

  private static Envelope read(byte[] key, byte[] value) {
    return read(key, value, 1234);
  }

  private static Envelope read(byte[] key, byte[] value, long timestamp) {
    return read(key, value, timestamp, Tombstones.DEAD_LETTER);
  }

  private static Envelope read(byte[] key, byte[] value, long timestamp, Tombstones tombstones) {
    List<Envelope> read = new ArrayList<>();
    new KafkaReader(new SentenceReader(InputConfig.DEFAULTS, Duration.ofDays(1)), tombstones)
        .deserialize(
            new ConsumerRecord<>(
                "topic",
                3,
                42,
                timestamp,
                TimestampType.CREATE_TIME,
                -1,
                -1,
                key,
                value,
                HEADERS,
                Optional.empty()),
            new ListCollector<>(read));
    assertThat(read).hasSize(1);
    return read.get(0);
  }

  private static Envelope translated(Envelope envelope) {
    Sentence sentence = envelope.getSentence();
    envelope.setTranslation(
        Translation.newBuilder()
            .setSource(sentence)
            .setTargetLanguage("de")
            .setText("Hallo.")
            .setModelId("model")
            .build());
    return envelope;
  }

  private static ProducerRecord<byte[], byte[]> write(Envelope envelope) throws Exception {
    return write(envelope, Format.AVRO);
  }

  private static ProducerRecord<byte[], byte[]> write(Envelope envelope, Format format)
      throws Exception {
    RecordWriter writer = new RecordWriter("out", format);
    writer.open(null, null);
    return writer.serialize(envelope, null, null);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
