package io.latimer.operators.nmt.convert.huggingface;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** A safetensors file of random 16-bit weights, written as they are made: any size in any heap. */
final class RandomSafetensors {
  private final StringBuilder header = new StringBuilder("{");
  private long bytes;

  /** Adds a tensor. */
  RandomSafetensors add(String name, int... shape) {
    long end = bytes;
    long size = Short.BYTES;
    StringBuilder sizes = new StringBuilder();
    for (int n : shape) {
      size *= n;
      sizes.append(sizes.length() == 0 ? "" : ",").append(n);
    }
    bytes = end + size;
    header
        .append(header.length() == 1 ? "" : ",")
        .append(
            "\"%s\":{\"dtype\":\"F16\",\"shape\":[%s],\"data_offsets\":[%d,%d]}"
                .formatted(name, sizes, end, bytes));
    return this;
  }

  /** Adds a layer in the names of MarianMTModel and M2M100. */
  RandomSafetensors layer(String name, boolean decoder, int width, int inner) {
    attention(name + ".self_attn", width);
    if (decoder) {
      attention(name + ".encoder_attn", width);
    }
    add(name + ".fc1.weight", inner, width).add(name + ".fc1.bias", inner);
    add(name + ".fc2.weight", width, inner).add(name + ".fc2.bias", width);
    return norm(name + ".final_layer_norm", width);
  }

  private void attention(String name, int width) {
    for (String part : List.of("q_proj", "k_proj", "v_proj", "out_proj")) {
      add(name + "." + part + ".weight", width, width);
      add(name + "." + part + ".bias", width);
    }
    norm(name + "_layer_norm", width);
  }

  /** Adds a layer normalization. */
  RandomSafetensors norm(String name, int width) {
    return add(name + ".weight", width).add(name + ".bias", width);
  }

  /** Writes the file: numbers of 2^-5 to 2^-4 and either sign. */
  void write(Path file) throws IOException {
    byte[] json = header.append('}').toString().getBytes(StandardCharsets.UTF_8);
    ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
    byte[] block = new byte[1 << 20];
    Random random = new Random(3);
    for (int i = 0; i < block.length; i += 2) {
      block[i] = (byte) random.nextInt(256);
      block[i + 1] = (byte) (0x28 | random.nextInt(4) | random.nextInt(2) << 7);
    }
    try (OutputStream stream = Files.newOutputStream(file)) {
      stream.write(length.putLong(0, json.length).array());
      stream.write(json);
      for (long left = bytes; left > 0; left -= block.length) {
        stream.write(block, 0, (int) Math.min(left, block.length));
      }
    }
  }
}
