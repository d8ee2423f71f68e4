package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Float16;
import java.nio.ByteBuffer;

/** The types of little-endian numbers in weights files. */
public enum WeightType {
  FLOAT32(4),
  INT8(1),
  INT16(2),
  INT32(4),
  FLOAT16(2),
  BFLOAT16(2);

  private final int width;

  WeightType(int width) {
    this.width = width;
  }

  /** The size of a number in bytes. */
  public int width() {
    return width;
  }

  /** The number at an index, widened or rounded to 32 bits. */
  float number(ByteBuffer bytes, int i) {
    return switch (this) {
      case FLOAT32 -> bytes.getFloat(4 * i);
      case INT8 -> bytes.get(i);
      case INT16 -> bytes.getShort(2 * i);
      case INT32 -> bytes.getInt(4 * i);
      case FLOAT16 -> Float16.toFloat(bytes.getShort(2 * i));
      case BFLOAT16 -> Float.intBitsToFloat(bytes.getShort(2 * i) << 16);
    };
  }
}
