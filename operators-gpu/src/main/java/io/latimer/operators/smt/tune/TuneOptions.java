package io.latimer.operators.smt.tune;

import io.latimer.operators.OperatorException;

/**
 * How weights are tuned.
 *
 * @param iterations maximum times that the sentences are translated, 1 to {@value #MOST}
 * @param restarts number of random weights from which each search starts, beside the best weights
 *     so far, 0 to {@value #MOST}
 * @param seed of the random numbers
 */
public record TuneOptions(int iterations, int restarts, long seed) {
  /** The largest number of either. */
  public static final int MOST = 1000;

  /**
   * Checks the ranges.
   *
   * @throws OperatorException if a number is out of range
   */
  public TuneOptions {
    check("iterations", iterations, 1);
    check("restarts", restarts, 0);
  }

  private static void check(String what, int found, int least) {
    if (found < least || found > MOST) {
      throw new OperatorException(
          "the number of " + what + " must be from " + least + " to " + MOST + ", found " + found);
    }
  }
}
