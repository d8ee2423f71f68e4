package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Marian's binary weights, {@code .bin}, version 1, as marian-conv writes them and Bergamot's
 * models have them: how many items there are; for each the lengths of its name, shape and data, and
 * its type; all names; all shapes; padding to a multiple of 256 bytes; all data. Items may be
 * padded to a multiple of 256 bytes, too.
 *
 * <p>Types float32, float16, intgemm8 and intgemm16 can be read. The integers of intgemm matrices
 * are stored with the outputs as rows (embeddings as they are) and followed by one 32-bit float,
 * the multiplier that they were made with; weights are integers times its reciprocal. Types that
 * are prepared for one kind of CPU are refused.
 *
 * <p>The file is untrusted: every length is compared with the file before memory is taken. Tensors
 * are read on demand. Not thread-safe.
 *
 * <p>Sources: marian-nmt/marian-dev and browsermt/marian-dev, src/common/binary.cpp,
 * src/tensors/cpu/expression_graph_packable.h and integer_common.h.
 */
final class MarianBinaryFile implements ShapedWeights {
  private static final int HEADER = 32;
  private static final int ALIGNMENT = 256;
  private static final int MAX_NAME = 1 << 10;
  private static final int MAX_DIMENSIONS = 8;
  private static final int MAX_NUMBERS = Integer.MAX_VALUE - 8;
  private static final int MAX_TEXT = 1 << 20;
  private static final int GZIP = 0x8b1f;

  /** Embeddings, which are looked up by row, are not transposed. */
  private static final String EMBEDDING = "Wemb";

  /**
   * @param start its first byte in the file
   * @param count its numbers, as many as its shape says
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Item(String name, MarianType type, long[] shape, long start, long count) {}

  /**
   * What the first part of the file says about an item.
   *
   * @param length bytes of its data, with padding
   */
  private record Declared(int nameLength, MarianType type, int rank, long length) {}

  private final Path file;
  private final WeightChannel channel;
  private final Map<String, Item> items;

  private MarianBinaryFile(Path file, WeightChannel channel, Map<String, Item> items) {
    this.file = file;
    this.channel = channel;
    this.items = items;
  }

  /** Whether a file has the name of such weights: {@code .bin}. */
  static boolean isNamed(Path file) {
    return file.toString().endsWith(".bin");
  }

  /**
   * Opens a file and reads all but its numbers.
   *
   * @throws ModelFormatException if it cannot be read, is not sound, or has weights prepared for
   *     one kind of CPU; the message names file, item and byte
   */
  static MarianBinaryFile open(Path file) {
    return WeightChannel.open(
        file, channel -> new MarianBinaryFile(file, channel, new Header(file, channel).read()));
  }

  /** Reads everything but numbers, from the first byte on. */
  private static final class Header extends WeightChannel.Header {

    Header(Path file, WeightChannel channel) throws IOException {
      super(file, channel);
    }

    Map<String, Item> read() throws IOException {
      long version = u64();
      if ((version & 0xffff) == GZIP) {
        throw wrong("the file is gzip; unpack it first", 8);
      }
      if (version != 1) {
        throw wrong("expected version 1 of Marian's binary weights, found " + unsigned(version), 8);
      }
      long count = u64();
      if (count < 1 || count > left() / HEADER) {
        throw wrong("expected 1 to " + left() / HEADER + " items, found " + unsigned(count), 8);
      }
      List<Declared> declared = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        where("item " + i + " of " + count);
        declared.add(declared());
      }
      Set<String> names = new LinkedHashSet<>();
      for (Declared item : declared) {
        where("name " + (names.size() + 1) + " of " + count);
        String name = name(item.nameLength);
        if (!names.add(name)) {
          throw wrong("the name " + name + " is there twice", item.nameLength);
        }
      }
      List<long[]> shapes = new ArrayList<>();
      for (String name : names) {
        where("tensor " + name);
        shapes.add(shape(declared.get(shapes.size())));
      }
      where("padding");
      int padding = number("padding of", 0, ALIGNMENT, "bytes");
      skip(padding);
      Map<String, Item> items = new LinkedHashMap<>();
      for (String name : names) {
        where("tensor " + name);
        Declared item = declared.get(items.size());
        if (item.length > left()) {
          throw wrong("expected " + item.length + " bytes, found " + Math.max(0, left()), 0);
        }
        long[] shape = shapes.get(items.size());
        items.put(name, new Item(name, item.type, shape, at(), count(shape)));
        skip(item.length);
      }
      if (left() != 0) {
        where("data");
        throw wrong("expected the end of the file, found " + left() + " bytes more", 0);
      }
      return Collections.unmodifiableMap(items);
    }

    private Declared declared() throws IOException {
      int nameLength = number("a name of", 1, MAX_NAME, "bytes");
      long code = u64();
      Optional<MarianType> type = MarianType.of(code);
      if (type.isEmpty()) {
        throw wrong(String.format(Locale.ROOT, "expected a type, found code 0x%x", code), 8);
      }
      int rank = number("a shape of", 0, MAX_DIMENSIONS, "dimensions");
      long length = u64();
      if (length < 0 || length > size()) {
        throw wrong("expected at most " + size() + " bytes of data, found " + unsigned(length), 8);
      }
      return new Declared(nameLength, type.get(), rank, length);
    }

    private long[] shape(Declared item) throws IOException {
      if (item.type.kind() == MarianType.Kind.PREPARED) {
        throw wrong(
            "its type "
                + item.type.name()
                + " is prepared for one kind of CPU; expected float32, intgemm8 or intgemm16:"
                + " convert the .npz file again with marian-conv --gemm-type",
            0);
      }
      long[] shape = new long[item.rank];
      for (int i = 0; i < item.rank; i++) {
        shape[i] = bytes(4).getInt();
        if (shape[i] < 0) {
          throw wrong("expected a dimension from 0, found " + shape[i], 4);
        }
      }
      long count = count(shape);
      if (count > MAX_NUMBERS) {
        throw wrong("expected at most " + MAX_NUMBERS + " numbers, found more", 4 * item.rank);
      }
      long needed = item.type.bytes(count);
      if (item.length < needed || item.length - needed >= ALIGNMENT) {
        throw wrong(
            "expected "
                + needed
                + " bytes, padded by at most "
                + (ALIGNMENT - 1)
                + ", for "
                + ShapedWeights.text(shape)
                + " of "
                + item.type.name()
                + ", found "
                + item.length,
            4 * item.rank);
      }
      return shape;
    }

    /** The number of values of a shape; 2^32 stands for all that are more. */
    private static long count(long[] shape) {
      long count = 1;
      for (long n : shape) {
        count = Math.min(count * n, 1L << 32);
      }
      return count;
    }

    private int number(String what, int least, int most, String unit) throws IOException {
      long found = u64();
      if (found < least || found > most) {
        throw wrong(
            "expected "
                + what
                + " "
                + least
                + " to "
                + most
                + " "
                + unit
                + ", found "
                + unsigned(found),
            8);
      }
      return (int) found;
    }

    private long u64() throws IOException {
      return bytes(8).getLong();
    }

    private static String unsigned(long n) {
      return Long.toUnsignedString(n);
    }
  }

  @Override
  public String origin() {
    return file.toString();
  }

  @Override
  public Set<String> names() {
    return items.keySet();
  }

  @Override
  public long[] shape(String name) {
    return item(name).shape.clone();
  }

  private Item item(String name) {
    Item item = items.get(name);
    if (item == null) {
      throw refuse(file, "has no tensor " + name);
    }
    return item;
  }

  /**
   * Reads a tensor of at most two dimensions, as 32-bit floats.
   *
   * @return shape {@code (r, c)} as r x c, {@code (n)} as 1 x n, a scalar as 1 x 1
   * @throws ModelFormatException if it is absent, of another type or shape, or its multiplier is
   *     not a positive number
   */
  @Override
  public Tensor floats(String name) {
    Item item = item(name);
    long[] shape = item.shape;
    if (shape.length > 2) {
      throw wrong(item, "at most two dimensions", ShapedWeights.text(shape));
    }
    int rows = shape.length == 2 ? (int) shape[0] : 1;
    int cols = shape.length == 0 ? 1 : (int) shape[shape.length - 1];
    float[] numbers = numbers(item, numberType(item));
    if (item.type.kind() == MarianType.Kind.QUANTIZED) {
      float reciprocal = 1 / multiplier(item);
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] *= reciprocal;
      }
      if (!name.contains(EMBEDDING)) {
        numbers = transposed(numbers, rows, cols);
      }
    }
    return Tensor.of(name, rows, cols, numbers);
  }

  private WeightType numberType(Item item) {
    int width = item.type.width();
    if (item.type.kind() == MarianType.Kind.QUANTIZED) {
      return width == 1 ? WeightType.INT8 : WeightType.INT16;
    }
    if (item.type.kind() == MarianType.Kind.FLOATS && width <= 4) {
      return width == 4 ? WeightType.FLOAT32 : WeightType.FLOAT16;
    }
    throw wrong(item, "float32, float16, intgemm8 or intgemm16", item.type.name());
  }

  private float[] numbers(Item item, WeightType type) {
    float[] numbers = new float[(int) item.count];
    channel.numbers("tensor " + item.name, type, item.start).read(0, numbers, 0, numbers.length);
    return numbers;
  }

  private float multiplier(Item item) {
    long at = item.start + item.count * item.type.width();
    float found = channel.read("tensor " + item.name, at, Float.BYTES).getFloat();
    if (!(found > 0 && Float.isFinite(1 / found) && Float.isFinite(found))) {
      throw refuse(
          file,
          "tensor "
              + item.name
              + ", at byte "
              + at
              + ": expected a positive multiplier, found "
              + found);
    }
    return found;
  }

  /** A matrix of which the columns are stored one after the other. */
  private static float[] transposed(float[] from, int rows, int cols) {
    float[] to = new float[from.length];
    for (int j = 0; j < cols; j++) {
      for (int i = 0; i < rows; i++) {
        to[i * cols + j] = from[j * rows + i];
      }
    }
    return to;
  }

  /**
   * Reads bytes as UTF-8 text, without trailing zeros: {@code special:model.yml}.
   *
   * @return empty if there is no such item
   * @throws ModelFormatException if it is not of type int8 or uint8, longer than 1 MiB, or not
   *     UTF-8
   */
  @Override
  public Optional<String> text(String name) {
    Item item = items.get(name);
    if (item == null) {
      return Optional.empty();
    }
    if (item.type.kind() != MarianType.Kind.INTEGERS || item.type.width() != 1) {
      throw wrong(item, "a text in int8", item.type.name());
    }
    if (item.count > MAX_TEXT) {
      throw wrong(item, "a text of at most " + MAX_TEXT + " bytes", "" + item.count);
    }
    ByteBuffer bytes = channel.read("tensor " + name, item.start, (int) item.count);
    int end = bytes.limit();
    while (end > 0 && bytes.get(end - 1) == 0) {
      end--;
    }
    String text = Utf8.decode(bytes.limit(end));
    if (text == null) {
      throw wrong(item, "a text in UTF-8", "other bytes");
    }
    return Optional.of(text);
  }

  private ModelFormatException wrong(Item item, String expected, String found) {
    return refuse(
        file,
        "tensor "
            + item.name
            + ", at byte "
            + item.start
            + ": expected "
            + expected
            + ", found "
            + found);
  }

  private static ModelFormatException refuse(Path file, String what) {
    return new ModelFormatException(file + ": " + what);
  }

  @Override
  public void close() {
    channel.close();
  }
}
