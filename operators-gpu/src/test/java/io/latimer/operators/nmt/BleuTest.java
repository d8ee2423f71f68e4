package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class BleuTest {
  @Test
  void isWhatTheFormulaGives() {
    List<String> reference = List.of("the cat sat on the mat today");
    assertThat(Bleu.of(reference, reference)).isCloseTo(100, within(1e-9));
    // 6 words: all match once clipped but one "the"; 1-grams 5/6, 2-grams 3/5, 3-grams 2/4, 4-grams
    // 1/3
    double expected =
        100 * Math.exp(1 - 7 / 6.0) * Math.pow(5 / 6.0 * (3 / 5.0) * (2 / 4.0) * (1 / 3.0), 0.25);
    assertThat(Bleu.of(List.of("cat sat on the the the"), List.of("the cat sat on the mat today")))
        .isCloseTo(expected, within(1e-9));
    assertThat(Bleu.of(List.of("a b c"), List.of("a b c"))).as("no 4-gram").isZero();
  }
}
