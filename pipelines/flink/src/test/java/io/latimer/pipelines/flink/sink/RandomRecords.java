package io.latimer.pipelines.flink.sink;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;

/** Random records, made by their schemas, so that they have the fields of the future, too. */
final class RandomRecords {
  private final Random random;
  private final boolean full;

  RandomRecords(long seed) {
    this(seed, false);
  }

  private RandomRecords(long seed, boolean full) {
    this.random = new Random(seed);
    this.full = full;
  }

  /** With a value in every field, and an element in every list. */
  static RandomRecords full(long seed) {
    return new RandomRecords(seed, true);
  }

  /** A record with random fields. */
  SpecificRecord record(Schema schema) {
    SpecificRecord record = (SpecificRecord) SpecificData.newInstance(classOf(schema), schema);
    for (Schema.Field field : schema.getFields()) {
      record.put(field.pos(), value(field.schema()));
    }
    return record;
  }

  /** Length of a text or a list: mostly small, at times such that its length takes two bytes. */
  private int count() {
    int least = full ? 1 : 0;
    return random.nextInt(50) == 0 ? 60 + random.nextInt(10) : least + random.nextInt(4);
  }

  /** In a full record, optional fields have values. */
  private int branch(int branches) {
    return full ? branches - 1 : random.nextInt(branches);
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
          List.of("\u0001", "\u0085", "\u20ac", "\ud83d\udc08", "a", "\u00fc")
              .get(random.nextInt(6))
              .repeat(count());
      case BYTES -> ByteBuffer.wrap(random.nextBoolean() ? new byte[count()] : noText());
      case ARRAY -> Stream.generate(() -> value(schema.getElementType())).limit(count()).toList();
      case UNION -> value(schema.getTypes().get(branch(schema.getTypes().size())));
      case RECORD -> record(schema);
      case ENUM, MAP, FIXED -> throw new AssertionError("no record has a field of " + schema);
    };
  }

  /** In JSON, it becomes Base64. */
  private byte[] noText() {
    byte[] bytes = new byte[1 + count()];
    Arrays.fill(bytes, (byte) 0xFF);
    return bytes;
  }
}
