package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Any bytes become a field of a TSV in UTF-8, and come back. */
class NgramTextTest {

  @Test
  void everyByteComesBack() {
    Set<String> texts = new HashSet<>();
    for (int b = 0; b < 256; b++) {
      texts.add(comesBack(new byte[] {(byte) b}));
      for (int second = 0; second < 256; second++) {
        texts.add(comesBack(new byte[] {(byte) b, (byte) second}));
      }
    }
    assertThat(texts).as("different bytes are different texts").hasSize(256 + 256 * 256);
  }

  @Test
  void everyCharacterComesBack() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        comesBack(Character.toString(c).getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @Test
  void whatIsNoUtf8ComesBack() throws CharacterCodingException {
    // Starts, continuations and the values at the edges of what may follow, at random.
    int[] parts = {
      0x00, 0x0a, 0x41, 0x5c, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
      0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0x78, 0x6e
    };
    Random random = new Random(20261121);
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(9)];
      for (int k = 0; k < bytes.length; k++) {
        bytes[k] = (byte) parts[random.nextInt(parts.length)];
      }
      String text = comesBack(bytes);
      // Java's own decoder agrees on what is UTF-8: only control characters may be escaped there.
      if (!text.contains("\\")) {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      }
    }
  }

  private static String comesBack(byte[] bytes) {
    String text = NgramText.escape(bytes);
    byte[] written = text.getBytes(StandardCharsets.UTF_8);
    assertThat(new String(written, StandardCharsets.UTF_8)).isEqualTo(text);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        throw new AssertionError("a control character is left in " + text);
      }
    }
    if (!Arrays.equals(NgramText.unescape(text), bytes)) {
      throw new AssertionError(text + " does not come back");
    }
    return text;
  }

  @ParameterizedTest
  @CsvSource({
    "61 62 20, 'ab '",
    "c3 a9, é",
    "f0 9f 98 82, 😂",
    "c3, \\xc3",
    "61 a9, a\\xa9",
    "0d 0a 09 00, \\r\\n\\t\\x00",
    "5c 6e, \\\\n",
    "7f, \\x7f",
    "c2 85, \\xc2\\x85",
    "e2 80 a8, \\xe2\\x80\\xa8",
    "c0 80, \\xc0\\x80",
    "ed a0 80, \\xed\\xa0\\x80",
    "f4 90 80 80, \\xf4\\x90\\x80\\x80",
  })
  void looksAsTheManualSays(String hex, String text) {
    byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(hex);
    assertThat(NgramText.escape(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\", "a\\", "\\q", "\\x", "\\x1", "\\xAB", "\\x 1"})
  void whatIsNoEscapeIsRefused(String text) {
    assertThatThrownBy(() -> NgramText.unescape(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
