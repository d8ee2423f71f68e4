package io.latimer.operators.util;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Writes the shortest decimal that parses to the same number, and the nearest of those, in
 * ECMAScript's format, as KenLM does: {@code -0.4}, {@code -2}, {@code -0}, {@code -1.2942986e-7}.
 */
public final class ShortestDecimal {
  private static final int FLOAT_DIGITS = 9;
  private static final int DOUBLE_DIGITS = 17;
  private static final int LEAST_EXPONENT = -6; // outside this range there is an exponent
  private static final int MOST_EXPONENT = 21;

  /** Powers of ten that a double holds exactly. */
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private static final RoundingMode[] ROUNDINGS = {
    RoundingMode.HALF_EVEN, RoundingMode.UP, RoundingMode.DOWN
  };

  private ShortestDecimal() {}

  /** A float; {@code NaN}, {@code inf} and {@code -inf} if it is not finite. */
  public static String of(float value) {
    float magnitude = Math.abs(value);
    if (magnitude >= 1e-5f && magnitude < 1e6f) {
      String quick = quick(value);
      if (quick != null) {
        return quick;
      }
    }
    return exact(value, FLOAT_DIGITS, text -> Float.parseFloat(text) == magnitude);
  }

  /** A double; {@code NaN}, {@code inf} and {@code -inf} if it is not finite. */
  public static String of(double value) {
    double magnitude = Math.abs(value);
    return exact(value, DOUBLE_DIGITS, text -> Double.parseDouble(text) == magnitude);
  }

  /** Computed with doubles; null if their errors could matter. */
  private static String quick(float value) {
    double wide = Math.abs((double) value);
    if ((Float.floatToRawIntBits(value) & 0x7FFFFF) == 0) {
      return null; // a power of two, whose neighbours are at different distances
    }
    int exponent = (int) Math.floor(Math.log10(wide));
    for (int digits = 1; digits <= FLOAT_DIGITS; digits++) {
      int scale = digits - 1 - exponent;
      double scaled = scale >= 0 ? wide * POWERS[scale] : wide / POWERS[-scale];
      double whole = Math.rint(scaled);
      double back = scale >= 0 ? whole / POWERS[scale] : whole * POWERS[-scale];
      if ((float) back == Math.abs(value)) {
        boolean tie = Math.abs(Math.abs(scaled - whole) - 0.5) < 1e-5;
        boolean boundary = (Double.doubleToRawLongBits(back) & 0x1FFFFFFF) == 0x10000000;
        return tie || boundary ? null : format(value < 0, Long.toString((long) whole), -scale);
      }
    }
    return null;
  }

  private interface Same {
    boolean test(String text);
  }

  private static String exact(double value, int mostDigits, Same same) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    boolean negative = Double.doubleToRawLongBits(value) < 0;
    if (Double.isInfinite(value)) {
      return negative ? "-inf" : "inf";
    }
    if (value == 0) {
      return negative ? "-0" : "0";
    }
    BigDecimal whole = new BigDecimal(Math.abs(value));
    for (int digits = 1; digits < mostDigits; digits++) {
      for (RoundingMode rounding : ROUNDINGS) {
        BigDecimal rounded = whole.round(new MathContext(digits, rounding));
        if (same.test(rounded.toString())) {
          return format(negative, rounded.unscaledValue().toString(), -rounded.scale());
        }
      }
    }
    BigDecimal rounded = whole.round(new MathContext(mostDigits, RoundingMode.HALF_EVEN));
    return format(negative, rounded.unscaledValue().toString(), -rounded.scale());
  }

  /** Writes digits times a power of ten. */
  private static String format(boolean negative, String all, int power) {
    int kept = all.length();
    while (kept > 1 && all.charAt(kept - 1) == '0') {
      kept--;
    }
    String digits = all.substring(0, kept);
    int point = all.length() + power; // digits before it
    StringBuilder text = new StringBuilder(negative ? "-" : "");
    if (point - 1 < LEAST_EXPONENT || point - 1 >= MOST_EXPONENT) {
      text.append(digits.charAt(0));
      if (kept > 1) {
        text.append('.').append(digits, 1, kept);
      }
      return text.append('e').append(point - 1).toString();
    }
    if (point <= 0) {
      return text.append("0.").append("0".repeat(-point)).append(digits).toString();
    }
    if (point >= kept) {
      return text.append(digits).append("0".repeat(point - kept)).toString();
    }
    return text.append(digits, 0, point).append('.').append(digits, point, kept).toString();
  }
}
