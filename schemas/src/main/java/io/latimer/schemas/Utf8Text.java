package io.latimer.schemas;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Strict UTF-8: refuses what Java would silently replace. */
final class Utf8Text {
  private static final int CHUNK = 8192;

  private Utf8Text() {}

  /**
   * Decodes {@code length} bytes from {@code offset}.
   *
   * @throws RecordFormatException with the position in {@code bytes} of the first malformed byte
   */
  static String decode(byte[] bytes, int offset, int length) throws RecordFormatException {
    String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
    check(text, bytes, offset, length);
    return text;
  }

  /**
   * Checks {@code length} bytes from {@code offset}.
   *
   * @throws RecordFormatException with the position in {@code bytes} of the first malformed byte
   */
  static void check(byte[] bytes, int offset, int length) throws RecordFormatException {
    check(new String(bytes, offset, length, StandardCharsets.UTF_8), bytes, offset, length);
  }

  private static void check(String text, byte[] bytes, int offset, int length)
      throws RecordFormatException {
    // Java replaces malformed bytes with U+FFFD; only then is the slow way needed to distinguish
    // them from a U+FFFD in the input
    if (text.indexOf('\uFFFD') >= 0) {
      int malformed = firstMalformed(bytes, offset, length);
      if (malformed >= 0) {
        throw new RecordFormatException(
            String.format(
                "malformed UTF-8 at byte %d (0x%02X); texts must be UTF-8",
                malformed, bytes[malformed]),
            malformed);
      }
    }
  }

  /**
   * Encodes a text.
   *
   * @throws IllegalArgumentException if it contains an unpaired surrogate, which UTF-8 cannot
   *     represent
   */
  static byte[] encode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    // most texts are ASCII and have as many bytes as characters; but so do unpaired surrogates,
    // which Java encodes as question marks
    boolean ascii =
        bytes.length == text.length()
            && new String(bytes, StandardCharsets.ISO_8859_1).equals(text);
    if (!ascii) {
      checkPairs(text);
    }
    return bytes;
  }

  private static void checkPairs(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        boolean paired =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!paired) {
          throw new IllegalArgumentException(
              String.format("unpaired surrogate U+%04X at character %d of a text", (int) c, i));
        }
        i++;
      }
    }
  }

  private static int firstMalformed(byte[] bytes, int offset, int length) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes, offset, length);
    CharBuffer out = CharBuffer.allocate(Math.min(length, CHUNK) + 1);
    while (true) {
      CoderResult result = decoder.decode(in, out, true);
      if (result.isError()) {
        return in.position();
      }
      if (result.isUnderflow()) {
        return -1;
      }
      out.clear();
    }
  }
}
