package io.latimer.operators.util;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Strict UTF-8: Java's own conversions silently replace errors. */
public final class Utf8 {
  private Utf8() {}

  /** Decodes, or returns null if the bytes are not UTF-8. */
  public static String decode(ByteBuffer bytes) {
    try {
      return decoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** Returns the offset of the first byte that is not part of a UTF-8 character, or -1. */
  public static int firstError(byte[] bytes) {
    return firstError(bytes, bytes.length);
  }

  /** As {@link #firstError(byte[])}, for the first {@code length} bytes. */
  public static int firstError(byte[] bytes, int length) {
    CharsetDecoder decoder = decoder();
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
    CharBuffer out = CharBuffer.allocate(Math.min(8192, length + 2)); // lines are mostly short
    while (true) {
      var result = decoder.decode(in, out, true);
      if (result.isError()) {
        return in.position();
      }
      if (result.isUnderflow()) {
        return -1;
      }
      out.clear();
    }
  }

  /** Returns the index of the first unpaired surrogate, or -1. */
  public static int loneSurrogate(CharSequence text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        return i;
      }
    }
    return -1;
  }

  private static CharsetDecoder decoder() {
    return StandardCharsets.UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT);
  }
}
