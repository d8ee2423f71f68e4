package io.latimer.operators.nmt.cpu;

/** Rounds rows of numbers to 8 bits, each with one scale. Not thread-safe. */
final class Int8Rounding {
  /** The largest value; -128 is not used, so that the range is symmetric. */
  private static final int LARGEST = 127;

  private final float[] values;
  private final float[] scratch;

  /**
   * @param widest maximum number of values in a row
   */
  Int8Rounding(int widest) {
    values = new float[widest];
    scratch = new float[widest];
  }

  /**
   * Rounds n values to whole multiples of a scale, from -127 to 127.
   *
   * @return the scale: 0 if all values are 0; not finite if one is not
   */
  float round(float[] x, int from, int n, byte[] to, int at) {
    System.arraycopy(x, from, values, 0, n);
    Vectors.magnitudes(values, n);
    float largest = Vectors.max(values, n, scratch);
    float factor = largest > 0 ? LARGEST / largest : 0;
    System.arraycopy(x, from, values, 0, n);
    for (int i = 0; i < n; i++) {
      values[i] = values[i] * factor + Vectors.ROUNDER;
    }
    for (int i = 0; i < n; i++) {
      to[at + i] = (byte) Float.floatToRawIntBits(values[i]);
    }
    return largest / LARGEST;
  }
}
