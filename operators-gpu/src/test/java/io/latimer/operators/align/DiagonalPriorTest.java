package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiagonalPriorTest {
  /** Equation 1 of the paper, which counts places from 1. */
  private static double[] direct(DiagonalPrior prior, int place, int words, int given) {
    double[] weights = new double[given];
    double sum = 0;
    for (int i = 0; i < given; i++) {
      double distance = Math.abs((place + 1) / (double) words - (i + 1) / (double) given);
      weights[i] = Math.exp(-prior.tension() * distance);
      sum += weights[i];
    }
    for (int i = 0; i < given; i++) {
      weights[i] *= (1 - prior.nullProbability()) / sum;
    }
    return weights;
  }

  @Test
  void followsTheEquation() {
    Random random = new Random(2);
    for (int i = 0; i < 2_000; i++) {
      int words = 1 + random.nextInt(60);
      int given = 1 + random.nextInt(60);
      int place = random.nextInt(words);
      DiagonalPrior prior = new DiagonalPrior(20 * random.nextDouble(), random.nextDouble() / 2);
      double[] found = new double[given];
      prior.fill(place, words, found);
      assertThat(found)
          .as("%s at %d of %d, %d given", prior, place, words, given)
          .containsExactly(direct(prior, place, words, given), within(1e-12));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 65534", "65534, 1", "65534, 65534"})
  void sumsToOneWithNothing(int words, int given) {
    double[] found = new double[given];
    for (int place : new int[] {0, words / 2, words - 1}) {
      new DiagonalPrior(6, 0.04).fill(place, words, found);
      assertThat(Arrays.stream(found).sum()).isEqualTo(0.96, within(1e-9));
      assertThat(found).doesNotContain(0.0);
    }
  }

  @Test
  void isUniformWithoutTension() {
    double[] found = new double[4];
    new DiagonalPrior(0, 0.2).fill(1, 3, found);
    assertThat(found).containsExactly(new double[] {0.2, 0.2, 0.2, 0.2}, within(1e-15));
  }

  @Test
  void refusesNumbersOutOfRange() {
    assertThatThrownBy(() -> new DiagonalPrior(-1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the tension must be 0 to 100, is -1.0");
    assertThatThrownBy(() -> new DiagonalPrior(Double.NaN, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new DiagonalPrior(4, 1.5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the probability of a link to nothing must be 0 to 1, is 1.5");
  }
}
