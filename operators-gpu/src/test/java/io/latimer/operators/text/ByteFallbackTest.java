package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.SpmBytes;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SentencePiece models that write characters of no piece as bytes: T5 1.1, MADLAD-400, Llama. */
final class ByteFallbackTest {
  private static final byte[] MODEL =
      SpmBytes.withBytes(List.of("\u2581", "\u2581the", "\u2581price", "e", "1"));

  private static List<String> pieces(String text) {
    try (SentencePieceSegmenter spm = SentencePieceSegmenter.of(MODEL, "spm")) {
      return spm.segment(text);
    }
  }

  private static String join(List<String> pieces) {
    try (SentencePieceSegmenter spm = SentencePieceSegmenter.of(MODEL, "spm")) {
      return spm.join(pieces);
    }
  }

  @Test
  void unknownCharactersBecomeBytes() {
    assertThat(pieces("the price 1\u20ac"))
        .containsExactly("\u2581the", "\u2581price", "\u2581", "1", "<0xE2>", "<0x82>", "<0xAC>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "the price 1\u20ac",
        "\u0645\u0631\u062d\u0628\u0627 e",
        "the \ud83d\ude00 1",
        "\u65e5\u672c\u8a9e",
        "e\u0301 <0x41>"
      })
  void everyTextComesBack(String text) {
    assertThat(join(pieces(text))).isEqualTo(text);
  }

  @Test
  void bytesThatAreNoCharacterAreReplaced() {
    assertThat(join(List.of("\u2581the", "<0xE2>", "<0x82>", "\u2581price")))
        .isEqualTo("the\ufffd price");
  }

  @Test
  void aCharacterIsAtItsFirstByte() {
    try (SentencePieceSegmenter spm = SentencePieceSegmenter.of(MODEL, "spm")) {
      assertThat(spm.surfaces(List.of("1", "<0xE2>", "<0x82>", "<0xAC>", "e")))
          .containsExactly("1", "\u20ac", null, null, "e");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u2581the",
        "\u2581",
        "e",
        " \u2581e ",
        "\u2581\u2581e\u2581the",
        "</s>",
        "<0x41>"
      })
  void theSurfaceOfATokenIsItsText(String token) {
    try (SentencePieceSegmenter spm = SentencePieceSegmenter.of(MODEL, "spm")) {
      assertThat(spm.surfaces(List.of(token))).containsExactly(spm.join(List.of(token)));
    }
  }
}
