package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.convert.ShapedWeights;
import io.latimer.operators.nmt.convert.WeightChannel;
import io.latimer.operators.nmt.convert.WeightType;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A {@code model.bin} of CTranslate2, binary versions 1 to 6: the specification's name and
 * revision, then named variables (weights and, as scalars, settings), each with its numbers, then
 * aliases.
 *
 * <p>Weights of eight bits have a scale a row, those of 16 bits one scale; both become 32-bit
 * floats. The file is untrusted: every length is compared with the file before memory is taken.
 * Tensors are read on demand. Not thread-safe.
 *
 * <p>Source: OpenNMT/CTranslate2, src/models/model.cc and python/ctranslate2/specs/model_spec.py.
 */
public final class Ctranslate2File implements ShapedWeights {
  private static final int MAX_VERSION = 6;
  private static final int MAX_VARIABLES = 1 << 18;
  private static final int MAX_NAME = 1 << 10;
  private static final int MAX_DIMENSIONS = 8;
  private static final int MAX_NUMBERS = Integer.MAX_VALUE - 8;
  private static final String SCALE = "_scale";

  /** The scale of 16-bit weights in files that do not give one. */
  private static final float OLD_SCALE = 1000;

  /** How names of revision 1 become those of revision 2: once each, in this order. */
  private static final List<Map.Entry<String, String>> RENAMED =
      List.of(
          Map.entry("transformer/", ""),
          Map.entry(":0", ""),
          Map.entry("w_embs", "embeddings/weight"),
          Map.entry("kernel", "weight"),
          Map.entry("LayerNorm", "layer_norm"),
          Map.entry("dense", "projection"),
          Map.entry("conv1d_", "linear_"),
          Map.entry("conv1d", "linear_0"));

  /** The types of numbers, in the order of their ids. */
  private static final List<WeightType> TYPES =
      List.of(
          WeightType.FLOAT32,
          WeightType.INT8,
          WeightType.INT16,
          WeightType.INT32,
          WeightType.FLOAT16,
          WeightType.BFLOAT16);

  /**
   * @param name its own, if it was found by an alias
   * @param start its first byte in the file
   * @param count its numbers, as many as its shape says
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Variable(String name, WeightType type, long[] shape, long start, long count) {}

  private final Path file;
  private final WeightChannel channel;
  private final Header header;

  private Ctranslate2File(Path file, WeightChannel channel, Header header) {
    this.file = file;
    this.channel = channel;
    this.header = header;
  }

  /**
   * Opens a file and reads all but its numbers.
   *
   * @throws ModelFormatException if it cannot be read or is not sound; the message names file,
   *     variable and byte
   */
  public static Ctranslate2File open(Path file) {
    return WeightChannel.open(
        file,
        channel -> {
          Header header = new Header(file, channel);
          header.read();
          return new Ctranslate2File(file, channel, header);
        });
  }

  /** Reads everything but numbers, from the first byte to the last. */
  private static final class Header extends WeightChannel.Header {
    private final Map<String, Variable> variables = new LinkedHashMap<>();
    private int version;
    private String specification = "";
    private long revision = 1;

    Header(Path file, WeightChannel channel) throws IOException {
      super(file, channel);
    }

    void read() throws IOException {
      long found = u32();
      if (found < 1 || found > MAX_VERSION) {
        throw wrong("expected binary version 1 to " + MAX_VERSION + ", found " + found, 4);
      }
      version = (int) found;
      if (version >= 2) {
        specification = name();
        revision = u32();
      }
      long count = number("variables");
      for (int i = 1; i <= count; i++) {
        where("variable " + i + " of " + count);
        variable();
      }
      if (version >= 3) {
        where("aliases");
        long aliases = number("aliases");
        for (int i = 1; i <= aliases; i++) {
          where("alias " + i + " of " + aliases);
          alias();
        }
      }
      if (left() != 0) {
        throw wrong("expected the end of the file, found " + left() + " bytes more", 0);
      }
    }

    private void variable() throws IOException {
      String name = name();
      if (revision == 1) {
        name = renamed(name);
      }
      where("variable " + name);
      int rank = bytes(1).get() & 0xff;
      if (rank > MAX_DIMENSIONS) {
        throw wrong("expected at most " + MAX_DIMENSIONS + " dimensions, found " + rank, 1);
      }
      long[] shape = new long[rank];
      long count = 1;
      for (int i = 0; i < rank; i++) {
        shape[i] = u32();
        count *= shape[i];
        if (count > MAX_NUMBERS) {
          throw wrong("expected at most " + MAX_NUMBERS + " numbers, found more", 4);
        }
      }
      WeightType type = type();
      long given = u32();
      long found = version < 4 ? given * type.width() : given;
      if (found != count * type.width()) {
        throw wrong(
            "expected "
                + count * type.width()
                + " bytes for "
                + ShapedWeights.text(shape)
                + " of "
                + type
                + ", found "
                + found,
            4);
      }
      if (found > left()) {
        throw wrong("expected " + found + " bytes, found " + left(), 0);
      }
      add(name, new Variable(name, type, shape, at(), count));
      skip(found);
    }

    private WeightType type() throws IOException {
      int found = bytes(1).get() & 0xff;
      if (version >= 4) {
        if (found >= TYPES.size()) {
          throw wrong("expected a type from 0 to " + (TYPES.size() - 1) + ", found " + found, 1);
        }
        return TYPES.get(found);
      }
      return switch (found) {
        case 1 -> WeightType.INT8;
        case 2 -> WeightType.INT16;
        case 4 -> WeightType.FLOAT32;
        default -> throw wrong("expected numbers of 1, 2 or 4 bytes, found " + found, 1);
      };
    }

    private void alias() throws IOException {
      String alias = name();
      String name = name();
      Variable variable = variables.get(name);
      if (variable == null) {
        throw wrong(alias + " stands for " + name + ", which is not there", 0);
      }
      add(alias, variable);
    }

    private void add(String name, Variable variable) {
      if (variables.putIfAbsent(name, variable) != null) {
        throw wrong("the name " + name + " is there twice", 0);
      }
    }

    private long number(String what) throws IOException {
      long found = u32();
      if (found > MAX_VARIABLES) {
        throw wrong("expected at most " + MAX_VARIABLES + " " + what + ", found " + found, 4);
      }
      return found;
    }

    private String name() throws IOException {
      int length = bytes(2).getShort() & 0xffff;
      if (length < 1 || length > MAX_NAME) {
        throw wrong("expected a name of 1 to " + MAX_NAME + " bytes, found " + length, 2);
      }
      return name(length);
    }

    private long u32() throws IOException {
      return Integer.toUnsignedLong(bytes(4).getInt());
    }
  }

  private static String renamed(String old) {
    String name = old;
    for (Map.Entry<String, String> change : RENAMED) {
      name = renamed(name, change.getKey(), change.getValue());
    }
    if (name.contains("encoder")) {
      return renamed(name, "multi_head", "self_attention");
    }
    name = renamed(name, "masked_multi_head", "self_attention");
    return renamed(name, "multi_head", "attention");
  }

  private static String renamed(String name, String from, String to) {
    return Pattern.compile(from, Pattern.LITERAL)
        .matcher(name)
        .replaceFirst(Matcher.quoteReplacement(to));
  }

  /** The version of the file's layout, 1 to 6. */
  public int version() {
    return header.version;
  }

  /** The name of the network's kind, such as {@code TransformerSpec}; empty in version 1. */
  public String specification() {
    return header.specification;
  }

  /** The revision of this kind. */
  public long revision() {
    return header.revision;
  }

  /** The types of the numbers in its matrices, such as {@code int8}. */
  Set<String> types() {
    Set<String> types = new TreeSet<>();
    for (Variable variable : header.variables.values()) {
      if (variable.shape.length > 1) {
        types.add(variable.type.name().toLowerCase(Locale.ROOT));
      }
    }
    return types;
  }

  @Override
  public String origin() {
    return file.toString();
  }

  @Override
  public Set<String> names() {
    return Collections.unmodifiableSet(header.variables.keySet());
  }

  @Override
  public long[] shape(String name) {
    return variable(name).shape.clone();
  }

  /** Whether both names stand for one variable. */
  boolean isSame(String one, String other) {
    return variable(one).name.equals(variable(other).name);
  }

  /** A scalar's value; empty if there is no such variable. */
  OptionalDouble number(String name) {
    Variable variable = header.variables.get(name);
    if (variable == null) {
      return OptionalDouble.empty();
    }
    if (variable.count != 1) {
      throw wrong(variable, "a scalar", ShapedWeights.text(variable.shape));
    }
    return OptionalDouble.of(numbers(variable)[0]);
  }

  /** Whether a scalar is true or false, and not a number. */
  boolean isFlag(String name) {
    return variable(name).type == WeightType.INT8;
  }

  /** A text, which is stored as a vector of bytes; empty if there is no such variable. */
  @Override
  public Optional<String> text(String name) {
    Variable variable = header.variables.get(name);
    if (variable == null) {
      return Optional.empty();
    }
    if (variable.type != WeightType.INT8
        || variable.shape.length != 1
        || variable.count > MAX_NAME) {
      throw wrong(
          variable,
          "a text of at most " + MAX_NAME + " bytes",
          ShapedWeights.text(variable.shape) + " of " + variable.type);
    }
    String text =
        Utf8.decode(
            channel.read("variable " + variable.name, variable.start, (int) variable.count));
    if (text == null) {
      throw wrong(variable, "a text in UTF-8", "other bytes");
    }
    return Optional.of(text);
  }

  private Variable variable(String name) {
    Variable variable = header.variables.get(name);
    if (variable == null) {
      throw refuse(file, "variable " + name + " is missing");
    }
    return variable;
  }

  /**
   * A variable of at most two dimensions, divided by its scales if it is quantized. Its numbers are
   * read from the file.
   *
   * @return shape {@code (r, c)} as r x c, {@code (n)} as 1 x n, a scalar as 1 x 1
   */
  @Override
  public Tensor floats(String name) {
    Variable variable = variable(name);
    long[] shape = variable.shape;
    if (shape.length > 2) {
      throw wrong(variable, "at most two dimensions", ShapedWeights.text(shape));
    }
    if (variable.type == WeightType.INT32) {
      throw wrong(variable, "floats, or integers of 8 or 16 bits", "INT32");
    }
    int rows = shape.length == 2 ? (int) shape[0] : 1;
    int cols = shape.length == 0 ? 1 : (int) shape[shape.length - 1];
    float[] scales = scales(variable, rows);
    Tensor.Numbers stored = stored(variable);
    Tensor.Numbers scaled =
        (from, to, offset, count) -> {
          stored.read(from, to, offset, count);
          for (int i = 0; i < count; i++) {
            to[offset + i] /= scales[scales.length == 1 ? 0 : (from + i) / cols];
          }
        };
    return new Tensor(name, rows, cols, scales.length == 0 ? stored : scaled);
  }

  /** The scale of each row, one for all rows, or none. */
  private float[] scales(Variable variable, int rows) {
    if (variable.type != WeightType.INT8 && variable.type != WeightType.INT16) {
      return new float[0];
    }
    Variable scale = header.variables.get(variable.name + SCALE);
    int count = variable.type == WeightType.INT8 ? rows : 1;
    if (scale == null && variable.type == WeightType.INT16) {
      return new float[] {OLD_SCALE};
    }
    if (scale == null || scale.count != count || scale.type != WeightType.FLOAT32) {
      throw wrong(
          variable,
          count + " scales in " + variable.name + SCALE,
          scale == null ? "none" : ShapedWeights.text(scale.shape) + " of " + scale.type);
    }
    return numbers(scale);
  }

  private float[] numbers(Variable variable) {
    float[] numbers = new float[(int) variable.count];
    stored(variable).read(0, numbers, 0, numbers.length);
    return numbers;
  }

  private Tensor.Numbers stored(Variable variable) {
    return channel.numbers("variable " + variable.name, variable.type, variable.start);
  }

  private ModelFormatException wrong(Variable variable, String expected, String found) {
    return refuse(
        file,
        "variable "
            + variable.name
            + ", at byte "
            + variable.start
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
