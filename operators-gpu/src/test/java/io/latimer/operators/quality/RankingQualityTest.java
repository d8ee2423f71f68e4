package io.latimer.operators.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RankingQualityTest {
  @Test
  void theAreaIsTheShareOfPairsInOrder() {
    Random random = new Random(3);
    for (int round = 0; round < 50; round++) {
      int n = 2 + random.nextInt(60);
      double[] probabilities = random.doubles(n).map(p -> Math.round(p * 8) / 8.0).toArray();
      boolean[] right = new boolean[n];
      for (int i = 0; i < n; i++) {
        right[i] = random.nextInt(3) > 0;
      }
      double inOrder = 0;
      long pairs = 0;
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          if (right[i] && !right[j]) {
            pairs++;
            inOrder += probabilities[i] > probabilities[j] ? 1 : 0;
            inOrder += probabilities[i] == probabilities[j] ? 0.5 : 0;
          }
        }
      }
      if (pairs > 0) {
        assertThat(RankingQuality.area(probabilities, right))
            .isCloseTo(inOrder / pairs, within(1e-12));
      }
    }
  }

  @Test
  void calibrationIsTheDistanceFromWhatHappened() {
    boolean[] half = {true, false, true, false};
    assertThat(RankingQuality.calibrationError(new double[] {.5, .5, .5, .5}, half)).isZero();
    assertThat(RankingQuality.calibrationError(new double[] {.9, .9, .9, .9}, half))
        .isCloseTo(0.4, within(1e-12));
    assertThat(RankingQuality.calibrationError(new double[] {1, 0, 1, 0}, half)).isZero();
  }
}
