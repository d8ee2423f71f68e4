package io.latimer.operators.ngram;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * N-grams of bytes as printable text on one line, and back.
 *
 * <p>Valid UTF-8 characters stay as they are, except the backslash, which becomes {@code \\}, and
 * control characters and line and paragraph separators. These, and all bytes that are not part of a
 * valid character, are escaped: TAB is {@code \t}, LF is {@code \n}, CR is {@code \r}, and every
 * other byte is {@code \x} and two lower-case hexadecimal digits. The text is therefore UTF-8
 * without tabs or line ends, and different bytes give different texts. To unescape, replace each
 * escape by its byte; the rest is UTF-8.
 */
public final class NgramText {
  private static final String DIGITS = "0123456789abcdef";

  private NgramText() {}

  /** The text of some bytes. */
  public static String escape(byte[] bytes) {
    return escape(bytes, 0, bytes.length);
  }

  /**
   * The text of some bytes.
   *
   * @param from the first of them
   * @param to the one after the last
   */
  public static String escape(byte[] bytes, int from, int to) {
    StringBuilder text = new StringBuilder(to - from);
    for (int i = from; i < to; ) {
      int length = characterLength(bytes, i, to);
      if (length == 1 && bytes[i] >= ' ' && bytes[i] != 0x7f && bytes[i] != '\\') {
        text.append((char) bytes[i++]);
        continue;
      }
      if (length > 1) {
        String character = new String(bytes, i, length, StandardCharsets.UTF_8);
        if (isVisible(character.codePointAt(0))) {
          text.append(character);
          i += length;
          continue;
        }
      }
      for (int end = i + Math.max(1, length); i < end; i++) {
        escape(bytes[i], text);
      }
    }
    return text.toString();
  }

  private static boolean isVisible(int codePoint) {
    int type = Character.getType(codePoint);
    return type != Character.CONTROL
        && type != Character.LINE_SEPARATOR
        && type != Character.PARAGRAPH_SEPARATOR;
  }

  private static void escape(byte b, StringBuilder text) {
    switch (b) {
      case '\\' -> text.append("\\\\");
      case '\t' -> text.append("\\t");
      case '\n' -> text.append("\\n");
      case '\r' -> text.append("\\r");
      default ->
          text.append("\\x").append(DIGITS.charAt((b >> 4) & 15)).append(DIGITS.charAt(b & 15));
    }
  }

  /**
   * The length in bytes of the valid UTF-8 character at a position, 0 if there is none (RFC 3629).
   */
  private static int characterLength(byte[] bytes, int at, int to) {
    int first = bytes[at] & 0xff;
    if (first < 0x80) {
      return 1;
    }
    int length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || to - at < length) {
      return 0;
    }
    for (int i = at + 1; i < at + length; i++) {
      if ((bytes[i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    int second = bytes[at + 1] & 0xff;
    boolean tooLong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    boolean surrogate = first == 0xed && second >= 0xa0;
    boolean tooHigh = first == 0xf4 && second >= 0x90;
    return tooLong || surrogate || tooHigh ? 0 : length;
  }

  /**
   * The bytes of a text that {@link #escape} made.
   *
   * @throws IllegalArgumentException if the text contains an invalid escape
   */
  public static byte[] unescape(String text) {
    byte[] escaped = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(escaped.length);
    int i = 0;
    while (i < escaped.length) {
      if (escaped[i] != '\\') {
        bytes.write(escaped[i++]);
        continue;
      }
      char kind = i + 1 < escaped.length ? (char) escaped[i + 1] : ' ';
      switch (kind) {
        case '\\' -> bytes.write('\\');
        case 't' -> bytes.write('\t');
        case 'n' -> bytes.write('\n');
        case 'r' -> bytes.write('\r');
        case 'x' -> bytes.write(16 * digit(escaped, i + 2) + digit(escaped, i + 3));
        default ->
            throw new IllegalArgumentException(
                "a backslash must be followed by \\, t, n, r or x and two digits: " + text);
      }
      i += kind == 'x' ? 4 : 2;
    }
    return bytes.toByteArray();
  }

  private static int digit(byte[] escaped, int at) {
    int digit = at < escaped.length ? DIGITS.indexOf(escaped[at]) : -1;
    if (digit < 0) {
      throw new IllegalArgumentException("\\x must be followed by two digits of 0-9, a-f");
    }
    return digit;
  }
}
