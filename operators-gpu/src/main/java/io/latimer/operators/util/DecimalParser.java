package io.latimer.operators.util;

import ch.randelshofer.fastdoubleparser.JavaFloatParser;
import java.util.Arrays;

/**
 * Parses decimal numbers from bytes as float32, correctly rounded to nearest. Finds where a number
 * ends; its value is that of fastdoubleparser. Not thread-safe.
 */
public final class DecimalParser {
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
    int first = afterSign(bytes, from, to);
    end = Math.min(to, first + INFINITY.length);
    if (Arrays.equals(bytes, first, end, INFINITY, 0, INFINITY.length)) {
      value = bytes[from] == '-' ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
      return true;
    }
    int point = afterDigits(bytes, first, to);
    boolean hasPoint = point < to && bytes[point] == '.';
    end = hasPoint ? afterDigits(bytes, point + 1, to) : point;
    if (end - first == (hasPoint ? 1 : 0)) {
      return false; // no digits
    }
    if (end < to && (bytes[end] == 'e' || bytes[end] == 'E')) {
      int exponent = afterSign(bytes, end + 1, to);
      int last = afterDigits(bytes, exponent, to);
      end = last > exponent ? last : end;
    }
    value = JavaFloatParser.parseFloat(bytes, from, end - from);
    return true;
  }

  private static int afterSign(byte[] bytes, int at, int to) {
    return at < to && (bytes[at] == '-' || bytes[at] == '+') ? at + 1 : at;
  }

  private static int afterDigits(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
      at++;
    }
    return at;
  }
}
