package io.latimer.pipelines.flink;

import io.latimer.pipelines.sink.Format;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/**
 * An upper bound on the bytes of a record in Avro's binary encoding or in JSON, from its schema and
 * the lengths of its texts and lists. It may be several times as high as the bytes, but is much
 * cheaper than to encode them. Not thread-safe.
 */
final class RecordBound {
  /** A mark and a fingerprint before Avro's bytes. */
  private static final int HEADER = 10;

  /** A union's branch, a list's count and end, or the length of a text or of bytes. */
  private static final int AVRO_LENGTH = 11;

  /** The mark of Base64, its padding and the quotes around it. */
  private static final int JSON_BYTES = 16;

  private final boolean json;
  private final IdentityHashMap<Schema, Layout> layouts = new IdentityHashMap<>();

  /**
   * What a record's schema says of its bytes.
   *
   * @param fixed the most bytes without those of its texts, bytes, lists and records
   * @param variable the positions of these
   */
  private record Layout(int fixed, List<Integer> variable) {}

  /** A bound for {@link Format#AVRO} or {@link Format#JSON}. */
  RecordBound(Format format) {
    this.json = format == Format.JSON;
  }

  /** At least as many bytes as a record has on its own. */
  long of(IndexedRecord record) {
    return HEADER + record(record);
  }

  private long record(IndexedRecord record) {
    Layout layout = layout(record.getSchema());
    long bytes = layout.fixed();
    for (int pos : layout.variable()) {
      bytes += value(record.get(pos));
    }
    return bytes;
  }

  private long value(Object value) {
    if (value instanceof CharSequence text) {
      // in UTF-8 a UTF-16 unit has three bytes at most, an escape in JSON six
      return (json ? 6L : 3L) * text.length();
    }
    if (value instanceof ByteBuffer bytes) {
      return (json ? 6L : 1L) * bytes.remaining();
    }
    if (value instanceof IndexedRecord record) {
      return record(record);
    }
    return value instanceof List<?> list ? list(list) : 0;
  }

  private long list(List<?> list) {
    if (!list.isEmpty() && list.get(0) instanceof IndexedRecord first) {
      Layout layout = layout(first.getSchema());
      if (layout.variable().isEmpty()) {
        return (long) layout.fixed() * list.size();
      }
    }
    long bytes = 0;
    for (Object element : list) {
      bytes += value(element);
    }
    // more than a number, or what surrounds a text, takes
    return bytes + 40L * list.size();
  }

  private Layout layout(Schema schema) {
    Layout layout = layouts.get(schema);
    if (layout == null) {
      layout = newLayout(schema);
      layouts.put(schema, layout);
    }
    return layout;
  }

  private Layout newLayout(Schema schema) {
    int fixed = json ? 3 : 0; // braces and a comma
    List<Integer> variable = new ArrayList<>();
    for (Schema.Field field : schema.getFields()) {
      fixed += fixed(field.schema());
      if (json) {
        fixed += field.name().length() + 4; // quotes, a colon, a comma
      }
      if (isVariable(field.schema())) {
        variable.add(field.pos());
      }
    }
    return new Layout(fixed, List.copyOf(variable));
  }

  /** The most bytes of a value without those that its content decides. */
  private int fixed(Schema schema) {
    return switch (schema.getType()) {
      case NULL -> json ? 4 : 0;
      case BOOLEAN -> json ? 5 : 1;
      case INT -> json ? 11 : 5;
      case LONG -> json ? 32 : 10; // a timestamp is a text in JSON
      case FLOAT -> json ? 16 : 4;
      case DOUBLE -> json ? 25 : 8;
      case STRING, ARRAY -> json ? 2 : AVRO_LENGTH;
      case BYTES -> json ? JSON_BYTES : AVRO_LENGTH;
      case RECORD -> 0;
      case ENUM ->
          json ? 2 + schema.getEnumSymbols().stream().mapToInt(String::length).max().orElse(0) : 5;
      case UNION -> AVRO_LENGTH + schema.getTypes().stream().mapToInt(this::fixed).max().orElse(0);
      case MAP, FIXED ->
          throw new IllegalArgumentException("records have no " + schema.getType() + " so far");
    };
  }

  private static boolean isVariable(Schema schema) {
    return switch (schema.getType()) {
      case STRING, BYTES, ARRAY, RECORD -> true;
      case UNION -> schema.getTypes().stream().anyMatch(RecordBound::isVariable);
      default -> false;
    };
  }
}
