package io.latimer.cli.phrases;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Formats numbers with twelve significant digits, byte for byte like C's {@code %.12g}. */
final class SignificantDigits {
  private static final int DIGITS = 12;
  private static final int LEAST_EXPONENT = -4; // below, %g uses an exponent
  private static final double LEAST_DIGITS = 1e11;
  private static final double END_DIGITS = 1e12;

  /** Powers of ten that a double holds exactly. */
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  /**
   * Error bound of a product with an exact power of ten, for products below {@link #END_DIGITS}.
   */
  private static final double ERROR = 1e-3;

  private SignificantDigits() {}

  /**
   * Formats a number.
   *
   * @param value finite; -0 is written as 0
   */
  static String of(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("expected a finite number, found " + value);
    }
    if (value < 0) {
      return "-" + of(-value);
    }
    if (value == (long) value && value < END_DIGITS) {
      return Long.toString((long) value);
    }
    String quick = quick(value);
    if (quick != null) {
      return quick;
    }
    BigDecimal rounded =
        new BigDecimal(value).round(new MathContext(DIGITS, RoundingMode.HALF_EVEN));
    return format(rounded.unscaledValue().toString(), rounded.precision() - rounded.scale() - 1);
  }

  /** The digits computed with doubles; null if rounding errors could matter. */
  private static String quick(double value) {
    int exponent = (int) Math.floor(Math.log10(value));
    int scale = DIGITS - 1 - exponent;
    if (scale < 0 || scale >= POWERS.length) {
      return null;
    }
    double scaled = value * POWERS[scale];
    double whole = Math.rint(scaled);
    boolean tie = Math.abs(Math.abs(scaled - whole) - 0.5) < ERROR;
    if (tie || whole < LEAST_DIGITS || whole >= END_DIGITS) {
      return null;
    }
    return format(Long.toString((long) whole), exponent);
  }

  /**
   * Formats digits, without trailing zeros.
   *
   * @param exponent of the first digit
   */
  private static String format(String all, int exponent) {
    int kept = all.length();
    while (kept > 1 && all.charAt(kept - 1) == '0') {
      kept--;
    }
    StringBuilder text = new StringBuilder(DIGITS + 8);
    if (exponent < LEAST_EXPONENT || exponent >= DIGITS) {
      text.append(all.charAt(0));
      if (kept > 1) {
        text.append('.').append(all, 1, kept);
      }
      int size = Math.abs(exponent);
      return text.append(exponent < 0 ? "e-" : "e+")
          .append(size < 10 ? "0" : "")
          .append(size)
          .toString();
    }
    if (exponent < 0) {
      return text.append("0.").append("0".repeat(-exponent - 1)).append(all, 0, kept).toString();
    }
    int point = exponent + 1; // digits before it
    if (kept <= point) {
      return text.append(all, 0, kept).append("0".repeat(point - kept)).toString();
    }
    return text.append(all, 0, point).append('.').append(all, point, kept).toString();
  }
}
