package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Float16;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The number types of weights in a .npy array, and their conversion to 32-bit floats. */
final class FloatType {
  private static final int CHUNK = 1 << 16;

  private FloatType() {}

  /** Returns the size of a number in bytes, or 0 for an unsupported type. */
  static int width(String descr) {
    return switch (descr) {
      case "<f2" -> 2;
      case "<f4" -> 4;
      case "<f8" -> 8;
      default -> 0;
    };
  }

  /** Fills an array; rejects numbers that are not finite in 32 bits. */
  static void read(NpyReader reader, int width, float[] numbers, int cols) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK).order(ByteOrder.LITTLE_ENDIAN);
    int done = 0;
    while (done < numbers.length) {
      int count = Math.min(CHUNK / width, numbers.length - done);
      reader.read(chunk.clear().limit(count * width));
      for (int i = 0; i < count; i++) {
        float value =
            switch (width) {
              case 2 -> Float16.toFloat(chunk.getShort(2 * i));
              case 4 -> chunk.getFloat(4 * i);
              default -> (float) chunk.getDouble(8 * i);
            };
        if (!Float.isFinite(value)) {
          int place = done + i;
          String found = width == 8 ? "" + chunk.getDouble(8 * i) : "" + value;
          throw reader.refuse(
              "expected finite 32-bit numbers",
              found + " at row " + place / cols + ", column " + place % cols);
        }
        numbers[done + i] = value;
      }
      done += count;
    }
  }
}
