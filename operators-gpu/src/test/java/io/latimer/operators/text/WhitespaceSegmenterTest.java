package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WhitespaceSegmenterTest {

  @Test
  void spaceIsWhatUnicodeSays() {
    for (int c = 0; c <= Character.MAX_VALUE; c++) {
      assertThat(WhitespaceSegmenter.isSpace((char) c))
          .as("U+%04X", c)
          .isEqualTo(Character.isWhitespace(c) || Character.isSpaceChar(c));
    }
  }

  @Test
  void wordsArePartedAtRunsOfSpace() {
    assertThat(WhitespaceSegmenter.words(" one\u00A0\ttwo \u2028three")).hasSize(3);
    assertThat(WhitespaceSegmenter.words("one")).containsExactly("one");
    assertThat(WhitespaceSegmenter.words(" \u3000 ")).isEmpty();
    assertThat(WhitespaceSegmenter.words("")).isEmpty();
  }
}
