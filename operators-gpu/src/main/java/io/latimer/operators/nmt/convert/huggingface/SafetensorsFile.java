package io.latimer.operators.nmt.convert.huggingface;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.latimer.operators.nmt.convert.ShapedWeights;
import io.latimer.operators.nmt.convert.WeightChannel;
import io.latimer.operators.nmt.convert.WeightType;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A {@code .safetensors} file, in which Hugging Face's libraries store weights: a 64-bit length, a
 * JSON object that gives each tensor's type, shape and place, then the numbers.
 *
 * <p>Types F32, F16 and BF16 can be read; tensors of other types may be there, unread. The file is
 * untrusted: its header is at most 16 MiB long, and every place must lie in the file and fit its
 * shape; both are checked before memory is taken. Tensors are read on demand. Not thread-safe.
 *
 * <p>Source: the format's specification (huggingface/safetensors, README).
 */
public final class SafetensorsFile implements ShapedWeights {
  private static final int LENGTH = 8;
  private static final int MAX_HEADER = 16 << 20;
  private static final int MAX_TENSORS = 1 << 18;
  private static final int MAX_DIMENSIONS = 8;
  private static final String METADATA = "__metadata__";

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(8).maxStringLength(1 << 20).build())
          .build();

  /**
   * @param type as the header names it
   * @param start its first byte in the file
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Entry(String type, long[] shape, long start, long bytes) {}

  private final Path file;
  private final WeightChannel channel;
  private final Map<String, Entry> entries;

  private SafetensorsFile(Path file, WeightChannel channel, Map<String, Entry> entries) {
    this.file = file;
    this.channel = channel;
    this.entries = entries;
  }

  /**
   * Opens a file and reads its header.
   *
   * @throws ModelFormatException if it cannot be read or its header is not sound
   */
  public static SafetensorsFile open(Path file) {
    return WeightChannel.open(
        file, channel -> new SafetensorsFile(file, channel, header(file, channel)));
  }

  private static Map<String, Entry> header(Path file, WeightChannel channel) throws IOException {
    long size = channel.size();
    if (size < LENGTH) {
      throw refuse(file, "expected a header, found " + size + " bytes");
    }
    long length = channel.read(0, LENGTH).getLong();
    if (length < 2 || length > Math.min(MAX_HEADER, size - LENGTH)) {
      throw refuse(
          file,
          "expected a header of 2 to "
              + Math.min(MAX_HEADER, size - LENGTH)
              + " bytes, found "
              + Long.toUnsignedString(length));
    }
    String text = Utf8.decode(channel.read(LENGTH, (int) length));
    if (text == null) {
      throw refuse(file, "its header is not UTF-8");
    }
    try (JsonParser json = JSON.createParser(text)) {
      return new Header(file, LENGTH + length, size).read(json);
    } catch (IOException e) {
      throw new ModelFormatException(file + ": its header is not JSON: " + e.getMessage(), e);
    }
  }

  /** Reads the header's JSON. */
  private record Header(Path file, long dataStart, long fileSize) {
    Map<String, Entry> read(JsonParser json) throws IOException {
      Map<String, Entry> entries = new LinkedHashMap<>();
      expect(json.nextToken() == JsonToken.START_OBJECT, "header", "an object");
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        expect(json.nextToken() == JsonToken.START_OBJECT, name, "an object");
        if (name.equals(METADATA)) {
          json.skipChildren();
          continue;
        }
        expect(entries.size() < MAX_TENSORS, "header", "at most " + MAX_TENSORS + " tensors");
        entries.put(name, entry(json, name));
      }
      expect(json.nextToken() == null, "header", "nothing after its object");
      return Collections.unmodifiableMap(entries);
    }

    private Entry entry(JsonParser json, String name) throws IOException {
      String type = null;
      long[] shape = null;
      long[] place = null;
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String key = json.currentName();
        JsonToken value = json.nextToken();
        switch (key) {
          case "dtype" -> {
            expect(value == JsonToken.VALUE_STRING, name, "a name of its dtype");
            type = json.getText();
          }
          case "shape" -> shape = numbers(json, name, "shape");
          case "data_offsets" -> place = numbers(json, name, "data_offsets");
          default -> json.skipChildren();
        }
      }
      expect(type != null && shape != null && place != null, name, "dtype, shape and data_offsets");
      expect(place.length == 2, name, "two data_offsets");
      long room = fileSize - dataStart;
      if (place[0] > place[1] || place[1] > room) {
        throw refuse(
            file,
            "tensor "
                + name
                + ": expected data_offsets in order from 0 to "
                + room
                + ", found "
                + place[0]
                + " and "
                + place[1]);
      }
      Entry entry = new Entry(type, shape, dataStart + place[0], place[1] - place[0]);
      int width = known(type).map(WeightType::width).orElse(0);
      long count = count(shape);
      if (width > 0 && (count < 0 || count != entry.bytes / width || entry.bytes % width != 0)) {
        throw refuse(
            file,
            "tensor "
                + name
                + ": expected "
                + ShapedWeights.text(shape)
                + " numbers of "
                + width
                + " bytes, found "
                + entry.bytes
                + " bytes");
      }
      return entry;
    }

    private long[] numbers(JsonParser json, String name, String key) throws IOException {
      expect(json.currentToken() == JsonToken.START_ARRAY, name, "a list as " + key);
      List<Long> numbers = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        boolean whole =
            json.currentToken() == JsonToken.VALUE_NUMBER_INT
                && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER
                && json.getLongValue() >= 0;
        expect(
            whole && numbers.size() < MAX_DIMENSIONS,
            name,
            "at most " + MAX_DIMENSIONS + " whole numbers from 0 as " + key);
        numbers.add(json.getLongValue());
      }
      return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    private void expect(boolean holds, String where, String what) {
      if (!holds) {
        throw refuse(file, "tensor " + where + ": expected " + what);
      }
    }
  }

  /** The number of values of a shape; -1 if it is beyond all files. */
  private static long count(long[] shape) {
    long count = 1;
    for (long n : shape) {
      if (n != 0 && count > Long.MAX_VALUE / n) {
        return -1;
      }
      count *= n;
    }
    return count;
  }

  /** The type that a name stands for; empty for those that are not read. */
  private static Optional<WeightType> known(String name) {
    return switch (name) {
      case "F32" -> Optional.of(WeightType.FLOAT32);
      case "F16" -> Optional.of(WeightType.FLOAT16);
      case "BF16" -> Optional.of(WeightType.BFLOAT16);
      default -> Optional.empty();
    };
  }

  @Override
  public String origin() {
    return file.toString();
  }

  @Override
  public Set<String> names() {
    return entries.keySet();
  }

  @Override
  public long[] shape(String name) {
    return entry(name).shape.clone();
  }

  /** The type of a tensor's numbers, as the header names it. */
  String type(String name) {
    return entry(name).type;
  }

  private Entry entry(String name) {
    Entry entry = entries.get(name);
    if (entry == null) {
      throw refuse(file, "has no tensor " + name);
    }
    return entry;
  }

  /**
   * A tensor of at most two dimensions, whose numbers are read from the file.
   *
   * @return shape {@code (r, c)} as r x c, {@code (n)} as 1 x n, a scalar as 1 x 1
   */
  @Override
  public Tensor floats(String name) {
    Entry entry = entry(name);
    WeightType type =
        known(entry.type)
            .orElseThrow(
                () ->
                    refuse(
                        file,
                        "tensor "
                            + name
                            + ": expected type F32, F16 or BF16, found "
                            + entry.type));
    long[] shape = entry.shape;
    long count = entry.bytes / type.width();
    if (shape.length > 2 || count > Integer.MAX_VALUE - LENGTH) {
      throw refuse(
          file,
          "tensor "
              + name
              + ": expected at most two dimensions and 2^31 numbers, found "
              + ShapedWeights.text(shape));
    }
    int cols = shape.length == 0 ? 1 : (int) shape[shape.length - 1];
    return new Tensor(
        name,
        shape.length == 2 ? (int) shape[0] : 1,
        cols,
        channel.numbers("tensor " + name, type, entry.start));
  }

  @Override
  public Optional<String> text(String name) {
    return Optional.empty();
  }

  private static ModelFormatException refuse(Path file, String what) {
    return new ModelFormatException(file + ": " + what);
  }

  @Override
  public void close() {
    channel.close();
  }
}
