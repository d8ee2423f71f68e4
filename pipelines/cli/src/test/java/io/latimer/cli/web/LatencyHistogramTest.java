package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class LatencyHistogramTest {
  private final LatencyHistogram histogram = new LatencyHistogram();

  @Test
  void nothingCountedIsZero() {
    assertThat(histogram.quantile(0.99)).isZero();
  }

  @Test
  void smallLatenciesAreExact() {
    for (int i = 0; i < 16; i++) {
      histogram.add(i);
    }
    assertThat(histogram.quantile(0.5)).isEqualTo(7);
    assertThat(histogram.quantile(1)).isEqualTo(15);
  }

  @Test
  void clocksThatDisagreeCountAsZeroAndNothingOverflows() {
    histogram.add(-5);
    assertThat(histogram.quantile(1)).isZero();
    histogram.add(Long.MAX_VALUE);
    assertThat(histogram.quantile(1)).isPositive();
  }

  @Test
  void quantilesAreNeverBelowTheTruthAndAtMostAnEighthAbove() {
    Random random = new Random(7);
    long[] values =
        LongStream.range(0, 5000).map(i -> (long) Math.exp(15 * random.nextDouble())).toArray();
    for (long value : values) {
      histogram.add(value);
    }
    Arrays.sort(values);
    for (double share : new double[] {0.01, 0.1, 0.5, 0.9, 0.99, 1}) {
      long exact = values[(int) Math.ceil(share * values.length) - 1];
      assertThat(histogram.quantile(share)).isBetween(exact, exact + exact / 8);
    }
  }
}
