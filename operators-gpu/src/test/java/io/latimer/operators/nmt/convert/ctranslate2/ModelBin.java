package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.model.Float16;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Writes CTranslate2's {@code model.bin} in each of its versions. */
final class ModelBin {
  static final int FLOAT32 = 0;
  static final int INT8 = 1;
  static final int INT16 = 2;
  static final int INT32 = 3;
  static final int FLOAT16 = 4;
  static final int BFLOAT16 = 5;

  private static final int[] WIDTHS = {4, 1, 2, 4, 2, 2};
  private static final int WITH_ALIASES = 3;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Variable(int type, byte[] data, int[] shape) {}

  private final int version;
  private final String specification;
  private final int revision;
  private final Map<String, Variable> variables = new LinkedHashMap<>();
  private final Map<String, String> aliases = new LinkedHashMap<>();
  private final List<int[]> heads = new ArrayList<>();

  ModelBin(int version, String specification, int revision) {
    this.version = version;
    this.specification = specification;
    this.revision = revision;
  }

  /** Adds a variable; all values must be exact in its type. */
  ModelBin add(String name, int type, float[] values, int... shape) {
    ByteBuffer out =
        ByteBuffer.allocate(values.length * WIDTHS[type]).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      switch (type) {
        case FLOAT32 -> out.putFloat(value);
        case INT8 -> out.put((byte) value);
        case INT16 -> out.putShort((short) value);
        case INT32 -> out.putInt((int) value);
        case FLOAT16 -> out.putShort(Float16.ofExact(value));
        default -> out.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
      }
    }
    variables.put(name, new Variable(type, out.array(), shape));
    return this;
  }

  /** Adds a scalar. */
  ModelBin scalar(String name, int type, double value) {
    return add(name, type, new float[] {(float) value});
  }

  /** Adds a text. */
  ModelBin text(String name, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    variables.put(name, new Variable(INT8, bytes, new int[] {bytes.length}));
    return this;
  }

  /** Gives a variable another name; versions without aliases get a copy. */
  ModelBin alias(String alias, String name) {
    if (version < WITH_ALIASES) {
      variables.put(alias, variables.get(name));
    } else {
      aliases.put(alias, name);
    }
    return this;
  }

  ModelBin remove(String name) {
    variables.remove(name);
    return this;
  }

  /** The file. */
  byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    heads.clear();
    put(out, 4, version);
    if (version >= 2) {
      name(out, specification);
      put(out, 4, revision);
    }
    put(out, 4, variables.size());
    variables.forEach(
        (name, variable) -> {
          int start = out.size();
          int width = WIDTHS[variable.type];
          name(out, name);
          put(out, 1, variable.shape.length);
          for (int n : variable.shape) {
            put(out, 4, n);
          }
          put(out, 1, version >= 4 ? variable.type : width);
          put(out, 4, version >= 4 ? variable.data.length : variable.data.length / width);
          heads.add(new int[] {start, out.size()});
          out.writeBytes(variable.data);
        });
    if (version >= WITH_ALIASES) {
      put(out, 4, aliases.size());
      aliases.forEach(
          (alias, name) -> {
            int start = out.size();
            name(out, alias);
            name(out, name);
            heads.add(new int[] {start, out.size()});
          });
    }
    return out.toByteArray();
  }

  /** The file with one byte of a variable's or an alias' description changed, or cut short. */
  byte[] damaged(Random random) {
    byte[] bytes = bytes();
    if (random.nextInt(5) == 0) {
      return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }
    int[] head = heads.get(random.nextInt(heads.size()));
    int at = head[0] + random.nextInt(head[1] - head[0]);
    bytes[at] ^= (byte) (1 + random.nextInt(255));
    return bytes;
  }

  private static void name(ByteArrayOutputStream out, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    put(out, 2, bytes.length + 1);
    out.writeBytes(bytes);
    out.write(0);
  }

  private static void put(ByteArrayOutputStream out, int width, long value) {
    for (int i = 0; i < width; i++) {
      out.write((int) (value >>> (8 * i)));
    }
  }
}
