package io.latimer.operators.util;

import java.nio.charset.StandardCharsets;

/**
 * Parses decimal numbers from bytes as float32, correctly rounded to nearest, without allocating.
 * Not thread-safe.
 */
public final class DecimalParser {
  /** Powers of ten that a double holds exactly. */
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  private static final long MAX_EXACT = 1L << 53;
  private static final int MAX_EXPONENT = 100_000;
  private static final byte[] INFINITY = {'i', 'n', 'f'};

  private float value;
  private int end;

  /** The parsed number. */
  public float value() {
    return value;
  }

  /** The position after its last byte. */
  public int end() {
    return end;
  }

  /**
   * Parses the longest number at a position: a sign, digits with an optional point, an exponent; or
   * {@code inf} with or without a sign.
   *
   * @return whether there is one
   */
  public boolean parse(byte[] bytes, int from, int to) {
    int at = from;
    boolean negative = at < to && bytes[at] == '-';
    if (at < to && (bytes[at] == '-' || bytes[at] == '+')) {
      at++;
    }
    long mantissa = 0;
    int scale = 0;
    int digits = 0;
    boolean point = false;
    boolean exact = true;
    for (; at < to; at++) {
      int c = bytes[at];
      if (c == '.' && !point) {
        point = true;
      } else if (c >= '0' && c <= '9') {
        digits++;
        if (mantissa <= (MAX_EXACT - 9) / 10) {
          mantissa = 10 * mantissa + (c - '0');
          scale -= point ? 1 : 0;
        } else {
          exact = false;
        }
      } else {
        break;
      }
    }
    if (digits == 0) {
      return infinity(bytes, at, to, negative, point);
    }
    int exponent = exponent(bytes, at, to);
    finish(bytes, from, mantissa, scale + exponent, exact, negative);
    return true;
  }

  /** Parses an exponent if there is a complete one, and moves the end after it. */
  private int exponent(byte[] bytes, int from, int to) {
    end = from;
    int at = from;
    if (at >= to || (bytes[at] != 'e' && bytes[at] != 'E')) {
      return 0;
    }
    at++;
    boolean negative = at < to && bytes[at] == '-';
    if (at < to && (bytes[at] == '-' || bytes[at] == '+')) {
      at++;
    }
    int exponent = 0;
    int first = at;
    for (; at < to && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
      exponent = Math.min(MAX_EXPONENT, 10 * exponent + (bytes[at] - '0'));
    }
    if (at == first) {
      return 0;
    }
    end = at;
    return negative ? -exponent : exponent;
  }

  private void finish(
      byte[] bytes, int from, long mantissa, int exponent, boolean exact, boolean negative) {
    if (exact && Math.abs(exponent) < POWERS.length) {
      double wide = exponent < 0 ? mantissa / POWERS[-exponent] : mantissa * POWERS[exponent];
      // Double rounding can only be wrong if the double is on the boundary between two floats;
      // below 2^-126 floats are sparser.
      boolean boundary = (Double.doubleToRawLongBits(wide) & 0x1FFFFFFF) == 0x10000000;
      if (mantissa == 0 || (!boundary && wide >= Float.MIN_NORMAL)) {
        value = (float) (negative ? -wide : wide);
        return;
      }
    }
    value = Float.parseFloat(new String(bytes, from, end - from, StandardCharsets.US_ASCII));
  }

  private boolean infinity(byte[] bytes, int at, int to, boolean negative, boolean point) {
    if (point || to - at < INFINITY.length) {
      return false;
    }
    for (int i = 0; i < INFINITY.length; i++) {
      if (bytes[at + i] != INFINITY[i]) {
        return false;
      }
    }
    value = negative ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
    end = at + INFINITY.length;
    return true;
  }
}
