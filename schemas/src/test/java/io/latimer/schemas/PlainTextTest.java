package io.latimer.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainTextTest {
  private static final Instant TIME = Instant.parse("2026-11-21T08:00:00Z");

  @Test
  void aLineBecomesASentence() throws Exception {
    Header header = new Header("k", null);
    Sentence sentence =
        PlainText.sentence(utf8("Zoë \uD83D\uDC08"), "7", "wire", "en", TIME, List.of(header));
    assertThat(sentence)
        .isEqualTo(
            new Sentence("7", "wire", "en", "Zoë \uD83D\uDC08", TIME, List.of(header), List.of()));
  }

  @Test
  void oneLineEndIsNotText() throws Exception {
    assertThat(text(utf8("a\n"))).isEqualTo("a");
    assertThat(text(utf8("a\r\n"))).isEqualTo("a");
    assertThat(text(utf8("a\n\n"))).isEqualTo("a\n");
    assertThat(text(utf8("a\r"))).isEqualTo("a\r");
    assertThat(text(utf8("\n"))).isEmpty();
    assertThat(text(utf8(""))).isEmpty();
    assertThat(text(utf8(" a b\u0000 "))).isEqualTo(" a b\u0000 ");
    assertThat(text(utf8("\uFFFD"))).isEqualTo("\uFFFD");
  }

  @ParameterizedTest
  @CsvSource({
    "61 FF 62, 1", // never a byte of UTF-8
    "61 62 C3, 2", // truncated inside a character
    "C0 80, 0", // overlong
    "61 ED A0 80, 1", // a surrogate
    "F4 90 80 80, 0", // beyond U+10FFFF
    "EF BF BD 80, 3", // after a replacement character in the input
  })
  void malformedUtf8IsRefusedWithItsPosition(String hex, int position) {
    byte[] bytes = bytes(hex);
    RecordFormatException error =
        catchThrowableOfType(RecordFormatException.class, () -> text(bytes));
    assertThat(error).hasMessageContaining("malformed UTF-8 at byte " + position + " (0x");
    assertThat(error.position()).isEqualTo(position);
  }

  @Test
  void aLongLineIsSearchedToItsEnd() throws Exception {
    String text = "\uFFFDä".repeat(50_000);
    assertThat(text(utf8(text))).isEqualTo(text);
    byte[] bytes = utf8(text);
    bytes[bytes.length - 1] = 'x';
    RecordFormatException error =
        catchThrowableOfType(RecordFormatException.class, () -> text(bytes));
    assertThat(error.position()).isEqualTo(bytes.length - 2);
  }

  private static String text(byte[] bytes) throws RecordFormatException {
    return PlainText.sentence(bytes, "1", "", "", TIME, List.of()).getText();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String hex) {
    String[] parts = hex.split(" ", -1);
    byte[] bytes = new byte[parts.length];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = (byte) Integer.parseInt(parts[i], 16);
    }
    return bytes;
  }
}
