package io.latimer.operators.nmt.cpu;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/**
 * Whole powers of two of many exponents. A power's bits are its exponent, shifted; HotSpot
 * vectorizes the shift, but not the change from float to int and back, so many are copied through
 * memory that is both.
 */
final class PowersOfTwo {
  /** Fewer are changed one by one. */
  private static final int MANY = 64;

  private static final int FRACTION_BITS = 23;
  private static final int ONE = 127 << FRACTION_BITS;

  private float[] floats = {};
  private int[] bits = {};
  private FloatBuffer asFloats;
  private IntBuffer asBits;

  /** An array of at least n values, for {@link #raise}. */
  float[] room(int n) {
    if (n > floats.length) {
      int size = Math.max(n, 2 * floats.length);
      floats = new float[size];
      bits = new int[size];
      ByteBuffer memory =
          ByteBuffer.allocateDirect(Math.multiplyExact(Float.BYTES, size))
              .order(ByteOrder.nativeOrder());
      asFloats = memory.asFloatBuffer();
      asBits = memory.asIntBuffer();
    }
    return floats;
  }

  /**
   * Replaces the first n values of the array, each the sum of an integer from -126 to 127 and
   * {@link Vectors#ROUNDER}, by 2 to the power of that integer.
   */
  void raise(int n) {
    if (n < MANY) {
      for (int i = 0; i < n; i++) {
        int power = (Float.floatToRawIntBits(floats[i]) << FRACTION_BITS) + ONE;
        floats[i] = Float.intBitsToFloat(power);
      }
      return;
    }
    asFloats.put(0, floats, 0, n);
    asBits.get(0, bits, 0, n);
    for (int i = 0; i < n; i++) {
      bits[i] = (bits[i] << FRACTION_BITS) + ONE;
    }
    asBits.put(0, bits, 0, n);
    asFloats.get(0, floats, 0, n);
  }
}
