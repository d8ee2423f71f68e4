package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextWordsTest {
  @Test
  void allWhitespaceSeparatesWords() {
    String text = "\u3000 10\u00a0km\u202f! \ud83d\ude00\u0085à\u001cb ";
    assertThat(TextWords.list(text)).containsExactly("10", "km", "!", "\ud83d\ude00", "à", "b");
    assertThat(TextWords.of(text).count()).isEqualTo(6);
  }

  @Test
  void aTextMayHaveNone() {
    assertThat(TextWords.list("")).isEmpty();
    assertThat(TextWords.list(" \u00a0")).isEmpty();
    assertThat(TextWords.of(" \u00a0").count()).isZero();
  }
}
