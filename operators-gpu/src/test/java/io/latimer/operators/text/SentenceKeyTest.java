package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentenceKeyTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "Good morning.|GOOD \u00a0 MORNING.",
        "Good morning.|  good morning .\t",
        "Ça va ? Oui !|ça va? oui!",
        "Straße|STRASSE",
        "He said “no”.|he said \"No\".",
        "He said „no“.|he said «No».",
        "It’s a test|it's a test",
        "a–b — c|a-b - c",
        "e\u0301te\u0301|été",
      })
  void theSameSentence(String one, String other) {
    assertThat(SentenceKey.of(one)).isEqualTo(SentenceKey.of(other));
  }

  @ParameterizedTest
  @CsvSource({"Yes?, Yes!", "Yes?, Yes", "We see, Wesee", "10 m², 10 m2", "Hi..., Hi."})
  void othersAreNot(String one, String other) {
    assertThat(SentenceKey.of(one).text()).isNotEqualTo(SentenceKey.of(other).text());
  }

  @Test
  void aFullStopIsKeptApart() {
    assertThat(SentenceKey.of("The end.")).isEqualTo(new SentenceKey("the end", true));
    assertThat(SentenceKey.of("The end .")).isEqualTo(new SentenceKey("the end", true));
    assertThat(SentenceKey.of("The end")).isEqualTo(new SentenceKey("the end", false));
    assertThat(SentenceKey.of("終わり。")).isEqualTo(new SentenceKey("終わり", true));
    assertThat(SentenceKey.of("The end...")).isEqualTo(new SentenceKey("the end...", false));
    assertThat(SentenceKey.of(".")).isEqualTo(new SentenceKey(".", false));
  }

  @Test
  void aBlankTextHasNoKey() {
    assertThat(SentenceKey.of(" \u2003\n").isEmpty()).isTrue();
    assertThat(SentenceKey.of("").isEmpty()).isTrue();
    assertThat(SentenceKey.of("a").isEmpty()).isFalse();
  }
}
