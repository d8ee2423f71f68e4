package io.latimer.benchmarks.gpu;

import java.util.Arrays;
import java.util.Locale;

/**
 * The spread of repeated measurements.
 *
 * @param median the middle value, or the mean of the two in the middle
 * @param min the minimum
 * @param max the maximum
 */
record Spread(double median, double min, double max) {
  static Spread of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }

  /**
   * A quantile of sorted values; NaN of none.
   *
   * @param part from 0 to 1
   */
  static double at(double[] sorted, double part) {
    return sorted.length == 0
        ? Double.NaN
        : sorted[Math.min(sorted.length - 1, (int) (sorted.length * part))];
  }

  /** The rates for an amount of work, computed from its times. */
  Spread rateOf(double amount) {
    return new Spread(amount / median, amount / max, amount / min);
  }

  /** The fields NAME, NAME_min and NAME_max of a JSON object. */
  String json(String name, int decimals) {
    return number(name, decimals, median)
        + ", "
        + number(name + "_min", decimals, min)
        + ", "
        + number(name + "_max", decimals, max);
  }

  private static String number(String name, int decimals, double value) {
    return String.format(Locale.ROOT, "\"%s\": %." + decimals + "f", name, value);
  }
}
