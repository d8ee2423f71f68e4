package io.latimer.operators.text.bleu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChrfTest {
  /** By hand: F = 5 P R / (4 P + R) of the means over the n that both have. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Ich bin da.|Ich bin da.|100",
        "abc|xyz|0",
        "''|abc|0",
        "abc|''|0",
        // n=1: 2 of 2, 2 of 3; n=2: 1 of 1, 1 of 2: P = 1, R = 7/12
        "ab|abc|63.63636363636364",
        // the same the other way round: P = 7/12, R = 1
        "abc|ab|87.5",
        // spaces do not count
        "a b|a b c|63.63636363636364",
        // n=1: 3 of 4 both; n=2: 1 of 3; n=3: 0 of 2; n=4: 0 of 1
        "abxd|abcd|27.083333333333332"
      })
  void isWhatTheDefinitionSays(String translation, String reference, double expected) {
    assertThat(Chrf.of(translation, reference)).isCloseTo(expected, within(1e-9));
  }

  /** As Python's {@code str.split}, by which sacrebleu leaves it out. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0x9, 0xa, 0xb, 0xc, 0xd, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2007,
        0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000
      })
  void whitespaceDoesNotCount(int space) {
    String spaced = "a" + Character.toString(space) + "b";
    assertThat(Chrf.of(spaced, "ab")).isEqualTo(100);
    assertThat(Chrf.of("ab", spaced)).isEqualTo(100);
  }

  /** Characters that are no whitespace there: zero width, and the former space of Mongolian. */
  @ParameterizedTest
  @ValueSource(ints = {0x180e, 0x200b, 0x2060, 0xfeff})
  void whatHasNoWidthCounts(int character) {
    assertThat(Chrf.of("a" + Character.toString(character) + "b", "ab")).isLessThan(100);
  }
}
