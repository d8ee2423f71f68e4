package io.latimer.operators.text.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No text takes more than linear time or much memory; the limits only stop what would not end. */
class NumberHostileTest {
  private static final Duration ENDLESS = Duration.ofMinutes(1);

  static Stream<String> texts() {
    int size = 100_000;
    return Stream.of(
        "7".repeat(size),
        "1,".repeat(size / 2) + "1",
        "1.".repeat(size / 2) + "1",
        "1 000 ".repeat(size / 6),
        "1-".repeat(size / 2) + "1",
        "1/".repeat(size / 2) + "1",
        "1:".repeat(size / 2) + "1",
        "12:30 ".repeat(size / 6),
        "12/31/2025 ".repeat(size / 11),
        "A1".repeat(size / 2),
        "A1 ".repeat(size / 3),
        "$".repeat(size) + "5",
        "- ".repeat(size / 2) + "5",
        "½".repeat(size),
        "5 mg ".repeat(size / 5),
        "zwei".repeat(size / 4),
        "hundert".repeat(size / 7),
        "tausend und ".repeat(size / 12),
        "one million ".repeat(size / 12),
        "halb ".repeat(size / 5) + "drei",
        "三百".repeat(size / 2),
        "MMXIV ".repeat(size / 6),
        "I".repeat(size),
        "January ".repeat(size / 8) + "5");
  }

  @ParameterizedTest
  @MethodSource("texts")
  void endsSoon(String text) {
    Assertions.assertTimeoutPreemptively(
        ENDLESS,
        () -> {
          for (String language : List.of("en", "de", "zh")) {
            NumberLanguage rules = NumberLanguage.of(language);
            List<NumberSpan> found = rules.find(text);
            assertThat(rules.missing(found, text)).isEmpty();
            rules.missing(found, "May be no number ".repeat(5_000));
            rules.missing(rules.findWords(text), text);
            rules.extra(rules, "no number", text, at -> false);
          }
        });
  }

  @Test
  void hugeNumbersStayAsTheyAre() {
    NumberLanguage english = NumberLanguage.of("en");
    String digits = "9".repeat(65);
    for (String text : List.of(digits, "1e1000000", "1." + digits)) {
      List<NumberSpan> found = english.find(text);
      assertThat(found).hasSize(1);
      assertThat(found.get(0).value()).isEqualTo(NumberValue.code(text));
      assertThat(NumberLanguage.of("de").write(found.get(0))).isEqualTo(text);
    }
    assertThat(Values.describe(english.find("9".repeat(64)))).contains("NUMBER 9999");
  }
}
