package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** Records are made by their schemas, so that fields of the future are bounded, too. */
class RecordBoundTest {
  private static final RecordBound AVRO = new RecordBound(Format.AVRO);
  private static final RecordBound JSON = new RecordBound(Format.JSON);

  private final Random random = new Random(11);

  @Test
  void noRecordIsLongerThanItsBound() {
    RecordCodec<Sentence> sentences = RecordCodec.of(Sentence.class);
    RecordCodec<Translation> translations = RecordCodec.of(Translation.class);
    for (int i = 0; i < 2_000; i++) {
      Sentence sentence = (Sentence) record(Sentence.getClassSchema());
      assertBound(sentence, sentences.encode(sentence).length);
      Translation translation = (Translation) record(Translation.getClassSchema());
      assertBound(translation, translations.encode(translation).length);
    }
  }

  @Test
  void theBoundOfALongTextIsWithinItsEscapes() {
    Sentence sentence = (Sentence) record(Sentence.getClassSchema());
    sentence.setText("x".repeat(1_000_000));
    assertThat(AVRO.of(sentence)).isBetween(1_000_000L, 3_100_000L);
    assertThat(JSON.of(sentence)).isBetween(1_000_000L, 6_100_000L);
  }

  private static void assertBound(SpecificRecord record, int encoded) {
    String json = RecordJson.of(record);
    assertThat(AVRO.of(record)).as("Avro of %s", json).isGreaterThanOrEqualTo(encoded);
    assertThat(JSON.of(record))
        .as("JSON %s", json)
        .isGreaterThanOrEqualTo(json.getBytes(StandardCharsets.UTF_8).length);
  }

  private SpecificRecord record(Schema schema) {
    SpecificRecord record = (SpecificRecord) SpecificData.newInstance(classOf(schema), schema);
    for (Schema.Field field : schema.getFields()) {
      record.put(field.pos(), value(field.schema()));
    }
    return record;
  }

  private static Class<?> classOf(Schema schema) {
    return SpecificData.get().getClass(schema);
  }

  private Object value(Schema schema) {
    return switch (schema.getType()) {
      case NULL -> null;
      case BOOLEAN -> random.nextBoolean();
      case INT -> random.nextBoolean() ? Integer.MIN_VALUE : random.nextInt();
      case LONG ->
          LogicalTypes.timestampMillis().equals(schema.getLogicalType())
              ? Instant.ofEpochMilli(random.nextBoolean() ? Long.MIN_VALUE : random.nextLong())
              : (Object) (random.nextBoolean() ? Long.MIN_VALUE : random.nextLong());
      case FLOAT -> random.nextBoolean() ? -Float.MIN_NORMAL * 3 : random.nextFloat();
      case DOUBLE -> random.nextBoolean() ? -Double.MIN_NORMAL * 3 : random.nextGaussian();
      case STRING ->
          List.of("\u0001", "\u20ac", "\ud83d\udc08", "a")
              .get(random.nextInt(4))
              .repeat(random.nextInt(4));
      case BYTES -> ByteBuffer.wrap(random.nextBoolean() ? new byte[random.nextInt(3)] : noText());
      case ARRAY ->
          Stream.generate(() -> value(schema.getElementType())).limit(random.nextInt(4)).toList();
      case UNION -> value(schema.getTypes().get(random.nextInt(schema.getTypes().size())));
      case RECORD -> record(schema);
      case ENUM, MAP, FIXED -> throw new AssertionError("no record has a field of " + schema);
    };
  }

  /** In JSON, it becomes Base64. */
  private byte[] noText() {
    byte[] bytes = new byte[1 + random.nextInt(4)];
    Arrays.fill(bytes, (byte) 0xFF);
    return bytes;
  }
}
