package io.latimer.operators.nmt.convert.huggingface;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.latimer.operators.nmt.model.Float16;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Writes files in the safetensors format, as its specification says. */
final class Safetensors {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode header = JSON.createObjectNode();
  private final ByteArrayOutputStream data = new ByteArrayOutputStream();

  Safetensors() {
    header.putObject("__metadata__").put("format", "pt");
  }

  /**
   * Adds a tensor.
   *
   * @param type F32, F16 or BF16, in which all values must be exact
   */
  Safetensors add(String name, String type, float[] values, int... shape) {
    int width = type.equals("F32") ? 4 : 2;
    ByteBuffer bytes = ByteBuffer.allocate(values.length * width).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      switch (type) {
        case "F32" -> bytes.putFloat(value);
        case "F16" -> bytes.putShort(Float16.ofExact(value));
        default -> bytes.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
      }
    }
    return add(name, type, bytes.array(), shape);
  }

  Safetensors add(String name, String type, byte[] bytes, int... shape) {
    ObjectNode entry = header.putObject(name);
    entry.put("dtype", type);
    Arrays.stream(shape).forEach(entry.putArray("shape")::add);
    entry.putArray("data_offsets").add(data.size()).add(data.size() + bytes.length);
    data.writeBytes(bytes);
    return this;
  }

  byte[] bytes() {
    try {
      return bytes(JSON.writeValueAsBytes(header), data.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file of any header and data. */
  static byte[] bytes(byte[] header, byte[] data) {
    return ByteBuffer.allocate(8 + header.length + data.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(header.length)
        .put(header)
        .put(data)
        .array();
  }
}
