package io.latimer.operators.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TrainedQualityTest {
  private enum Measure {
    ONLY
  }

  private static final int TRANSLATIONS = 400;

  private final Random random = new Random(4);
  private final List<Map<Measure, Double>> features = new ArrayList<>();
  private final boolean[] right = new boolean[TRANSLATIONS];

  private TrainedQuality<Measure> train() {
    return TrainedQuality.train(Measure.class, features, right, 50);
  }

  @Test
  void whatTellsNothingIsNotLearnedByHeart() {
    for (int i = 0; i < TRANSLATIONS; i++) {
      right[i] = random.nextBoolean();
      features.add(Map.of(Measure.ONLY, random.nextGaussian()));
    }
    assertThat(train().area()).isBetween(0.4, 0.6);
    assertThat(train().calibrationError()).isLessThan(0.1);
  }

  @Test
  void whatTellsTheTruthIsFound() {
    int rights = 0;
    for (int i = 0; i < TRANSLATIONS; i++) {
      right[i] = random.nextInt(4) > 0;
      rights += right[i] ? 1 : 0;
      features.add(Map.of(Measure.ONLY, random.nextGaussian() + (right[i] ? 5 : 0)));
    }
    TrainedQuality<Measure> trained = train();
    assertThat(trained.area()).isGreaterThan(0.99);
    assertThat(trained.right()).isEqualTo(rights);
    assertThat(trained.model().sentences()).isEqualTo(TRANSLATIONS);
    assertThat(trained.model().rightFrom()).isEqualTo(50);
  }

  @Test
  void tenMustBeRightAndTenWrongInAnyOrder() {
    for (int i = 0; i < TRANSLATIONS; i++) {
      features.add(Map.of(Measure.ONLY, random.nextGaussian()));
      right[i] = i % 5 == 0 && i < 50; // all of one fold, if folds took every fifth
    }
    assertThat(train().right()).isEqualTo(10);
    right[5] = false;
    assertThatThrownBy(this::train)
        .isInstanceOf(TrainedQuality.TooFewException.class)
        .hasMessage(
            "there are 9 right and 391 wrong translations; at least 10 of each are needed: use more"
                + " sentences, or another score from which on a translation is right");
  }
}
