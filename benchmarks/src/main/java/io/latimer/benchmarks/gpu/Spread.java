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
  /** Runs before those that are measured, unless they take too long. */
  static final int WARM_UP = 5;

  private static final long MAX_WARM_UP_NANOS = 10_000_000_000L;

  /** The number of the next run; below 0 those that warm up. */
  static int next(int run, long began) {
    return run < 0 && System.nanoTime() - began > MAX_WARM_UP_NANOS ? 0 : run + 1;
  }

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
