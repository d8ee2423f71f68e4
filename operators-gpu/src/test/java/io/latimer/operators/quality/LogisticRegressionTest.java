package io.latimer.operators.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogisticRegressionTest {
  private enum Measure {
    MEAN,
    ALWAYS_THE_SAME,
    LENGTH
  }

  private static Map<Measure, Double> features(double mean, double length) {
    return new EnumMap<>(
        Map.of(Measure.MEAN, mean, Measure.ALWAYS_THE_SAME, 7.0, Measure.LENGTH, length));
  }

  @Test
  void findsTheProbabilitiesThatMadeTheExamples() {
    Random random = new Random(5);
    List<Map<Measure, Double>> features = new ArrayList<>();
    boolean[] right = new boolean[20_000];
    double[] truth = new double[right.length];
    for (int i = 0; i < right.length; i++) {
      double mean = -random.nextDouble();
      double length = 5 + 2 * random.nextGaussian();
      features.add(features(mean, length));
      truth[i] = 1 / (1 + Math.exp(-(1 + 3 * mean + 0.5 * (length - 5))));
      right[i] = random.nextDouble() < truth[i];
    }
    QualityModel<Measure> model = LogisticRegression.fit(Measure.class, features, right, 50);
    assertThat(model.terms()).as("what is always the same tells nothing").hasSize(2);
    assertThat(model.sentences()).isEqualTo(right.length);
    double off = 0;
    for (int i = 0; i < right.length; i++) {
      off += Math.abs(model.probability(features.get(i)) - truth[i]) / right.length;
    }
    assertThat(off).isCloseTo(0, within(0.02));
    assertThat(LogisticRegression.fit(Measure.class, features, right, 50)).isEqualTo(model);
  }

  @Test
  void itsProbabilitiesAddUpToTheRightOnesWithOutliersToo() {
    Random random = new Random(6);
    List<Map<Measure, Double>> features = new ArrayList<>();
    boolean[] right = new boolean[2_000];
    int rights = 0;
    for (int i = 0; i < right.length; i++) {
      boolean outlier = i % 1_000 == 0; // 31 deviations off
      right[i] = random.nextBoolean() && !outlier;
      rights += right[i] ? 1 : 0;
      features.add(features(outlier ? -1e6 : random.nextGaussian(), (right[i] ? 0.2 : 0) - i % 2));
    }
    QualityModel<Measure> model = LogisticRegression.fit(Measure.class, features, right, 50);
    assertThat(features.stream().mapToDouble(model::probability).sum())
        .isCloseTo(rights, within(0.05));
  }

  @Test
  void saysThatItDidNotConverge() {
    List<Map<Measure, Double>> features = new ArrayList<>();
    boolean[] right = new boolean[30];
    for (int i = 0; i < right.length; i++) {
      right[i] = i % 3 == 0;
      features.add(features(i, 0));
    }
    assertThat(LogisticRegression.fit(Measure.class, features, right, 50).sentences())
        .isEqualTo(right.length);
    assertThatThrownBy(() -> LogisticRegression.fit(Measure.class, features, right, 50, 2))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("did not converge in 2 steps: use more sentences");
  }
}
