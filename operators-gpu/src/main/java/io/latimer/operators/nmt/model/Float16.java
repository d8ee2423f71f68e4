package io.latimer.operators.nmt.model;

/** Conversion of IEEE 754 binary16 ("half") numbers, for which Java 17 has no type. */
public final class Float16 {
  /** The bits of infinity; those of NaN are above, those of finite numbers below. */
  private static final int INFINITE = 0x7c00;

  private Float16() {}

  /** Widens exactly; keeps infinities and NaN. */
  public static float toFloat(short half) {
    int sign = (half & 0x8000) << 16;
    int magnitude = half & 0x7fff;
    if (magnitude < 0x400) {
      float subnormal = magnitude * 0x1p-24f;
      return sign == 0 ? subnormal : -subnormal;
    }
    int widened =
        magnitude < INFINITE ? (112 << 23) + (magnitude << 13) : 0x7f800000 | magnitude << 13;
    return Float.intBitsToFloat(sign | widened);
  }

  /** Whether it is neither infinite nor NaN. */
  static boolean isFinite(short half) {
    return (half & INFINITE) != INFINITE;
  }

  /** Whether a finite number survives {@link #ofExact} and back bit for bit. */
  public static boolean isExact(float value) {
    return Float.floatToRawIntBits(toFloat(truncate(value))) == Float.floatToRawIntBits(value);
  }

  /**
   * Narrows.
   *
   * @throws IllegalArgumentException if the value has no exact binary16 representation
   */
  public static short ofExact(float value) {
    if (!isExact(value)) {
      throw new IllegalArgumentException(value + " is not exact in float16");
    }
    return truncate(value);
  }

  private static short truncate(float value) {
    int bits = Float.floatToRawIntBits(value);
    int sign = (bits >>> 16) & 0x8000;
    int exponent = ((bits >>> 23) & 0xff) - 112;
    int fraction = bits & 0x7fffff;
    if (exponent >= 0x1f) {
      return (short) (sign | 0x7c00);
    }
    if (exponent > 0) {
      return (short) (sign | exponent << 10 | fraction >>> 13);
    }
    if (exponent < -10) {
      return (short) sign;
    }
    return (short) (sign | (fraction | 0x800000) >>> (14 - exponent));
  }
}
