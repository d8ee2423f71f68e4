package io.latimer.schemas;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Base64;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.IndexedRecord;

/**
 * Records as JSON for people and for tools without Avro: one object, on one line, with all fields
 * in the order of the schema. The names are those of the schema.
 *
 * <ul>
 *   <li>An optional field is its value or null; nothing tells the branch of a union.
 *   <li>A timestamp is ISO 8601 in UTC with milliseconds: {@code "2026-11-21T08:15:30.123Z"}.
 *   <li>Bytes are a string: their text where they are UTF-8, else {@code base64:} and their Base64
 *       (RFC 4648, padded). Text that itself begins with {@code base64:} is encoded, too.
 *   <li>Numbers have as many digits as tell them apart from their neighbours; those that are not
 *       finite are null. An enum is its name.
 * </ul>
 *
 * <p>Equal records have equal JSON. Control characters and the line ends of Unicode are escaped, so
 * that no tool sees two lines.
 */
public final class RecordJson {
  private static final String BASE64 = "base64:";
  private static final DateTimeFormatter MILLIS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  private final StringBuilder out = new StringBuilder();

  private RecordJson() {}

  /** A record as one line of JSON, without a line end. */
  public static String of(IndexedRecord record) {
    RecordJson json = new RecordJson();
    json.write(record);
    return json.out.toString();
  }

  private void write(IndexedRecord record) {
    out.append('{');
    for (Schema.Field field : record.getSchema().getFields()) {
      if (field.pos() > 0) {
        out.append(',');
      }
      write(field.name());
      out.append(':');
      value(record.get(field.pos()));
    }
    out.append('}');
  }

  private void value(Object value) {
    if (value instanceof CharSequence text) {
      write(text);
    } else if (value instanceof Double || value instanceof Float) {
      out.append(Double.isFinite(((Number) value).doubleValue()) ? value : "null");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Instant time) {
      write(MILLIS.format(time));
    } else if (value instanceof ByteBuffer bytes) {
      write(text(bytes));
    } else if (value instanceof List<?> list) {
      write(list);
    } else if (value instanceof IndexedRecord record) {
      write(record);
    } else if (value instanceof Enum<?> || value instanceof GenericEnumSymbol<?>) {
      write(value.toString());
    } else {
      throw new IllegalArgumentException("a " + value.getClass().getName() + " has no JSON here");
    }
  }

  private void write(List<?> list) {
    out.append('[');
    for (int i = 0; i < list.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      value(list.get(i));
    }
    out.append(']');
  }

  private static String text(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    try {
      String text = Utf8Text.decode(bytes, 0, bytes.length);
      if (!text.startsWith(BASE64)) {
        return text;
      }
    } catch (RecordFormatException e) {
      // no text: encoded below
    }
    return BASE64 + Base64.getEncoder().encodeToString(bytes);
  }

  private void write(CharSequence text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || (c >= '\u007f' && c < '\u00a0') || c == '\u2028' || c == '\u2029') {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
