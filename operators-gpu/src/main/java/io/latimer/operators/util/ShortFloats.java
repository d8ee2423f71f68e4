package io.latimer.operators.util;

import java.nio.charset.StandardCharsets;

/**
 * Like {@link ShortestDecimal}, but for many millions of log-probabilities: writes bytes without
 * allocating. Zero has no sign.
 */
public final class ShortFloats {
  /** Maximum bytes of a number. */
  public static final int LONGEST = 24;

  // Between these, numbers are written without an exponent, and doubles are precise enough.
  private static final float LEAST = 1e-4f;
  private static final float MOST = 1e6f;
  private static final double NINE_DIGITS = 1e8;
  private static final double TIE =
      1e-6; // two decimals are equally near, within the precision of doubles
  private static final double[] POWERS = new double[14];
  private static final long[] LONG_POWERS = new long[14];

  static {
    long power = 1;
    for (int i = 0; i < POWERS.length; i++) {
      POWERS[i] = power;
      LONG_POWERS[i] = power;
      power *= 10;
    }
  }

  private ShortFloats() {}

  /**
   * Writes a number.
   *
   * @param to has at least {@link #LONGEST} bytes left
   * @return the position after it
   */
  public static int put(float number, byte[] to, int from) {
    int at = from;
    float size = Math.abs(number);
    if (size == 0) {
      to[at++] = '0';
      return at;
    }
    boolean powerOfTwo = (Float.floatToRawIntBits(size) & 0x7fffff) == 0; // neighbours differ
    if (powerOfTwo || !(size >= LEAST && size < MOST)) {
      return putSlowly(number, to, at);
    }
    int decimals = 3;
    while (size * POWERS[decimals] < NINE_DIGITS) {
      decimals++;
    }
    // Nine digits always suffice; of the decimals nearest to this float, take the one with the most
    // trailing zeros.
    double power = POWERS[decimals];
    double gap = Math.ulp(size) * 0.5;
    double low = (size - gap) * power;
    double high = (size + gap) * power;
    double exact = size * power;
    long best = Math.round(exact);
    long unitOfBest = 1;
    for (long unit = 10; unit <= 1_000_000_000L; unit *= 10) {
      long shorter = ((long) (exact / unit + 0.5)) * unit;
      if (shorter <= low || shorter >= high) {
        break;
      }
      best = shorter;
      unitOfBest = unit;
    }
    if (Math.abs(Math.abs(exact - best) / unitOfBest - 0.5) < TIE) {
      return putSlowly(number, to, at);
    }
    if (number < 0) {
      to[at++] = '-';
    }
    long whole = best / LONG_POWERS[decimals];
    long rest = best % LONG_POWERS[decimals];
    at = putWhole(whole, to, at);
    if (rest == 0) {
      return at;
    }
    to[at++] = '.';
    for (int i = decimals - 1; rest > 0; i--) {
      long digit = rest / LONG_POWERS[i];
      to[at++] = (byte) ('0' + digit);
      rest -= digit * LONG_POWERS[i];
    }
    return at;
  }

  private static int putSlowly(float number, byte[] to, int at) {
    byte[] text = ShortestDecimal.of(number).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, to, at, text.length);
    return at + text.length;
  }

  private static int putWhole(long whole, byte[] to, int from) {
    int digits = 1;
    while (digits < LONG_POWERS.length && whole >= LONG_POWERS[digits]) {
      digits++;
    }
    long rest = whole;
    for (int i = from + digits - 1; i >= from; i--) {
      to[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return from + digits;
  }
}
