package io.latimer.operators.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** SentencePiece models with parts changed: messages of Protocol Buffers. */
public final class SpmBytes {
  private static final int PIECE = 1;
  private static final int NORMALIZER = 3;
  private static final int CHARSMAP = 2;

  private SpmBytes() {}

  private static final class Field {
    private final int number;
    private final int wire;
    private final byte[] content;

    Field(int number, int wire, byte[] content) {
      this.number = number;
      this.wire = wire;
      this.content = content;
    }
  }

  /** The normalization rules of a model. */
  public static byte[] charsmap(byte[] model) {
    byte[] spec = content(fields(model), NORMALIZER);
    return content(fields(spec), CHARSMAP);
  }

  /** A model with other normalization rules. */
  public static byte[] withCharsmap(byte[] model, byte[] charsmap) {
    return changed(model, NORMALIZER, spec -> changed(spec, CHARSMAP, old -> charsmap));
  }

  /**
   * A model with one more piece.
   *
   * @param type 1 normal, 2 unknown, 3 control, 4 user-defined, 6 byte
   */
  public static byte[] withPiece(byte[] model, byte[] text, int type) {
    ByteArrayOutputStream piece = new ByteArrayOutputStream();
    write(piece, new Field(1, 2, text));
    piece.writeBytes(new byte[] {3 << 3, (byte) type});
    return with(model, PIECE, piece.toByteArray());
  }

  /** A model with one more field of the length-delimited wire type. */
  public static byte[] with(byte[] model, int number, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(model);
    write(out, new Field(number, 2, content));
    return out.toByteArray();
  }

  /** A small model without normalization rules. */
  public static byte[] small(List<String> pieces) {
    byte[] model = new byte[0];
    model = withPiece(model, "<unk>".getBytes(StandardCharsets.UTF_8), 2);
    for (String piece : pieces) {
      model = withPiece(model, piece.getBytes(StandardCharsets.UTF_8), 1);
    }
    return with(model, NORMALIZER, new byte[0]);
  }

  /**
   * A small model that writes characters of no piece as their bytes. The end is 1, the unknown
   * piece 2, and the bytes follow.
   */
  public static byte[] withBytes(List<String> pieces) {
    byte[] model = withPiece(new byte[0], "<pad>".getBytes(StandardCharsets.UTF_8), 3);
    model = withPiece(model, "</s>".getBytes(StandardCharsets.UTF_8), 3);
    model = withPiece(model, "<unk>".getBytes(StandardCharsets.UTF_8), 2);
    for (int value = 0; value < 256; value++) {
      byte[] text = String.format("<0x%02X>", value).getBytes(StandardCharsets.UTF_8);
      model = withPiece(model, text, 6);
    }
    for (String piece : pieces) {
      model = withPiece(model, piece.getBytes(StandardCharsets.UTF_8), 1);
    }
    ByteArrayOutputStream trainer = new ByteArrayOutputStream();
    varint(trainer, 35 << 3); // byte_fallback
    trainer.write(1);
    varint(trainer, 40 << 3); // unk_id
    trainer.write(2);
    varint(trainer, 42 << 3); // eos_id
    trainer.write(1);
    return with(with(model, 2, trainer.toByteArray()), NORMALIZER, new byte[0]);
  }

  /** A small model whose numbers are those of a vocabulary: the end is 0, the unknown piece 1. */
  public static byte[] vocabulary() {
    byte[] model = withPiece(new byte[0], "</s>".getBytes(StandardCharsets.UTF_8), 3);
    model = withPiece(model, "<unk>".getBytes(StandardCharsets.UTF_8), 2);
    model = withPiece(model, "a".getBytes(StandardCharsets.UTF_8), 1);
    ByteArrayOutputStream trainer = new ByteArrayOutputStream();
    varint(trainer, 42 << 3); // eos_id
    trainer.write(0);
    return with(model, 2, trainer.toByteArray());
  }

  private static byte[] content(List<Field> fields, int number) {
    return fields.stream().filter(f -> f.number == number).findFirst().orElseThrow().content;
  }

  private static byte[] changed(byte[] message, int number, UnaryOperator<byte[]> change) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    boolean found = false;
    for (Field field : fields(message)) {
      boolean here = field.number == number;
      found |= here;
      write(out, here ? new Field(number, 2, change.apply(field.content)) : field);
    }
    if (!found) {
      write(out, new Field(number, 2, change.apply(new byte[0])));
    }
    return out.toByteArray();
  }

  private static List<Field> fields(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    List<Field> fields = new ArrayList<>();
    while (in.hasRemaining()) {
      int tag = (int) varint(in);
      int start = in.position();
      int length =
          switch (tag & 7) {
            case 0 -> {
              varint(in);
              int end = in.position();
              in.position(start);
              yield end - start;
            }
            case 1 -> 8;
            case 5 -> 4;
            default -> (int) varint(in);
          };
      byte[] content = new byte[length];
      in.get(content);
      fields.add(new Field(tag >>> 3, tag & 7, content));
    }
    return fields;
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = in.get();
      value |= (b & 0x7FL) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }

  private static void write(ByteArrayOutputStream out, Field field) {
    varint(out, field.number << 3 | field.wire);
    if (field.wire == 2) {
      varint(out, field.content.length);
    }
    out.writeBytes(field.content);
  }

  private static void varint(ByteArrayOutputStream out, int value) {
    int rest = value;
    while (rest > 0x7F) {
      out.write(rest | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }
}
