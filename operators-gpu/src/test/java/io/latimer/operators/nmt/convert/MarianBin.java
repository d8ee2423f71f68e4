package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Float16;
import io.latimer.operators.nmt.model.Tensor;
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

/**
 * Writes Marian's binary weights as marian-conv does, and damages them. Shares no code with the
 * reader: the layout is that of marian-dev's src/common/binary.cpp.
 */
public final class MarianBin {
  static final long INT8 = 0x101;
  static final long FLOAT16 = 0x402;
  public static final long FLOAT32 = 0x404;
  public static final long BERGAMOT_INTGEMM8 = 0x4101;
  static final long BERGAMOT_INTGEMM16 = 0x4102;
  static final long MARIAN_INTGEMM8 = 0x10001;
  static final long MARIAN_INTGEMM16 = 0x10002;

  private static final int ALIGNMENT = 256;

  /** What Marian leaves in the padding of an item is not zero. */
  private static final byte REST = 0x5a;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Item(String name, long type, int[] shape, byte[] data) {}

  private final List<Item> items = new ArrayList<>();
  private final Map<String, float[]> expanded = new LinkedHashMap<>();

  /** Adds an item as it is. */
  MarianBin item(String name, long type, byte[] data, int... shape) {
    items.add(new Item(name, type, shape, data));
    return this;
  }

  /** Adds a tensor of 32-bit floats. */
  MarianBin floats(String name, float[] values, int... shape) {
    ByteBuffer data = little(padded(4 * values.length));
    data.asFloatBuffer().put(values);
    return item(name, FLOAT32, raw(data), shape);
  }

  /** Adds a tensor of 16-bit floats; all values must be exact in them. */
  MarianBin halves(String name, float[] values, int... shape) {
    ByteBuffer data = little(2 * values.length);
    for (float value : values) {
      data.putShort(Float16.ofExact(value));
    }
    return item(name, FLOAT16, raw(data), shape);
  }

  /** Adds a matrix in integers: embeddings by row, all others by column, then the multiplier. */
  MarianBin quantized(String name, long type, float[] values, int rows, int cols) {
    int width = (int) (type & 0xff);
    float most = 0;
    for (float value : values) {
      most = Math.max(most, Math.abs(value));
    }
    float multiplier = width == 1 ? 127 / most : 1024;
    ByteBuffer data = little(padded(width * values.length + 4));
    float[] back = new float[values.length];
    boolean byRow = name.contains("Wemb");
    for (int k = 0; k < values.length; k++) {
      int i = byRow ? k / cols : k % rows;
      int j = byRow ? k % cols : k / rows;
      long limit = width == 1 ? 127 : Short.MAX_VALUE;
      long q = Math.round(Math.rint((double) values[i * cols + j] * multiplier));
      q = Math.max(-limit, Math.min(limit, q));
      if (width == 1) {
        data.put((byte) q);
      } else {
        data.putShort((short) q);
      }
      back[i * cols + j] = q * (1 / multiplier);
    }
    data.putFloat(multiplier);
    while (data.hasRemaining()) {
      data.put(REST);
    }
    expanded.put(name, back);
    return item(name, type, raw(data), rows, cols);
  }

  /** Adds a text, as the settings of a model are stored. */
  MarianBin text(String name, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return item(name, INT8, Arrays.copyOf(bytes, bytes.length + 1), bytes.length + 1);
  }

  /**
   * The weights of a model.
   *
   * @param type of matrices and embeddings; all others are 32-bit floats
   */
  public static MarianBin of(WeightSource weights, long type) {
    MarianBin bin = new MarianBin();
    for (String name : weights.names()) {
      if (name.startsWith("special:")) {
        continue;
      }
      Tensor t = weights.floats(name);
      float[] values = t.floats();
      if (type != FLOAT32 && name.matches(".*(_W.?|Wemb)")) {
        bin.quantized(name, type, values, t.rows(), t.cols());
      } else {
        bin.floats(name, values, t.rows(), t.cols());
      }
    }
    weights
        .text(MarianSettings.ENTRY)
        .ifPresent(settings -> bin.text(MarianSettings.ENTRY, settings));
    return bin;
  }

  /** What integers stand for, by the name of their matrix, row by row. */
  Map<String, float[]> expanded() {
    return expanded;
  }

  /** The bytes of the file. */
  public byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteBuffer header = little(16 + 32 * items.size());
    header.putLong(1).putLong(items.size());
    for (Item item : items) {
      header.putLong(utf8(item.name).length + 1).putLong(item.type);
      header.putLong(item.shape.length).putLong(item.data.length);
    }
    out.writeBytes(raw(header));
    for (Item item : items) {
      out.writeBytes(utf8(item.name));
      out.write(0);
    }
    for (Item item : items) {
      ByteBuffer shape = little(4 * item.shape.length);
      shape.asIntBuffer().put(item.shape);
      out.writeBytes(raw(shape));
    }
    int padding = ALIGNMENT - (out.size() + 8) % ALIGNMENT;
    out.writeBytes(raw(little(8).putLong(padding)));
    out.writeBytes(new byte[padding]);
    for (Item item : items) {
      out.writeBytes(item.data);
    }
    return out.toByteArray();
  }

  /** The same file with one thing wrong, as no program wrote it. */
  public byte[] damaged(Random random) {
    byte[] sound = bytes();
    ByteBuffer b = ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN);
    int at = random.nextInt(items.size());
    int names = 16 + 32 * items.size();
    int shapes = names + items.stream().mapToInt(i -> utf8(i.name).length + 1).sum();
    int end = shapes + items.stream().mapToInt(i -> 4 * i.shape.length).sum();
    long[] lies = {-1, Long.MIN_VALUE, 1L << 40, Integer.MAX_VALUE, 1L << 31, 1L << 32};
    long lie = lies[random.nextInt(lies.length)];
    int header = 16 + 32 * at;
    switch (random.nextInt(9)) {
      case 0 -> {
        return Arrays.copyOf(sound, random.nextInt(sound.length));
      }
      case 1 -> b.putLong(0, random.nextBoolean() ? lie : 2);
      case 2 -> b.putLong(8, random.nextBoolean() ? lie : items.size() + random.nextInt(3) - 3);
      case 3 -> b.putLong(header, random.nextBoolean() ? lie : b.getLong(header) + 1);
      case 4 -> {
        long[] types = {0, 0x999, 0x5101, 0x12001, 0x2801, 0x40104, 0x103, lie};
        b.putLong(header + 8, types[random.nextInt(types.length)]);
      }
      case 5 -> b.putLong(header + 16, random.nextBoolean() ? lie : b.getLong(header + 16) + 1);
      case 6 -> {
        long more = random.nextBoolean() ? ALIGNMENT : -1;
        b.putLong(header + 24, random.nextBoolean() ? lie : b.getLong(header + 24) + more);
      }
      case 7 -> {
        int dimension = shapes + 4 * random.nextInt((end - shapes) / 4);
        int[] dimensions = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, b.getInt(dimension) + 1};
        b.putInt(dimension, dimensions[random.nextInt(dimensions.length)]);
      }
      default -> b.putLong(end, random.nextBoolean() ? lie : b.getLong(end) + 1);
    }
    return sound;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int padded(int length) {
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  private static byte[] raw(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    buffer.get(0, bytes);
    return bytes;
  }

  private static ByteBuffer little(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }
}
