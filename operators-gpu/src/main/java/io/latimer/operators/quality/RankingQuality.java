package io.latimer.operators.quality;

import java.util.Arrays;
import java.util.Comparator;

/** How well probabilities tell right translations from wrong ones. */
public final class RankingQuality {
  private static final int BINS = 10;

  private RankingQuality() {}

  /**
   * The area under the ROC curve: how probable it is that a right translation has a higher
   * probability than a wrong one; equal ones count half. 0.5 is chance.
   *
   * @return 0 to 1; NaN if all are right, or all wrong
   */
  public static double area(double[] probabilities, boolean[] right) {
    Integer[] order = new Integer[probabilities.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparingDouble(i -> probabilities[i]));
    double ranks = 0; // of the right ones; equal ones share the mean of theirs
    long rights = 0;
    for (int from = 0; from < order.length; ) {
      int to = from;
      while (to < order.length && probabilities[order[to]] == probabilities[order[from]]) {
        to++;
      }
      for (int i = from; i < to; i++) {
        if (right[order[i]]) {
          ranks += (from + 1 + to) / 2.0;
          rights++;
        }
      }
      from = to;
    }
    long wrongs = order.length - rights;
    return (ranks - rights * (rights + 1) / 2.0) / ((double) rights * wrongs);
  }

  /**
   * The expected calibration error: how far, on average, the share of right translations is from
   * their mean probability, over ten ranges of probabilities.
   *
   * @return 0 to 1
   */
  public static double calibrationError(double[] probabilities, boolean[] right) {
    double[] expected = new double[BINS];
    double[] found = new double[BINS];
    for (int i = 0; i < right.length; i++) {
      int bin = Math.min(BINS - 1, (int) (probabilities[i] * BINS));
      expected[bin] += probabilities[i];
      found[bin] += right[i] ? 1 : 0;
    }
    double error = 0;
    for (int bin = 0; bin < BINS; bin++) {
      error += Math.abs(expected[bin] - found[bin]);
    }
    return error / right.length;
  }
}
