package io.latimer.operators.phrases;

/** Which occurrences of a phrase are looked at: evenly spaced among the ranks of all. */
final class Sampling {
  private final int first;
  private final long all;
  private final int samples;
  private final double step;
  private double at;
  private int taken;

  /**
   * Starts with the first sample.
   *
   * @param first rank of the first occurrence, in the first segment that has the phrase
   * @param all occurrences, 1 or more
   * @param samples occurrences that are looked at, 1 to {@code all}
   */
  Sampling(int first, long all, int samples) {
    this.first = first;
    this.all = all;
    this.samples = samples;
    this.step = (double) all / samples;
    this.at = first;
  }

  boolean hasNext() {
    return taken < samples;
  }

  /** The next occurrence, counted from 0 through all segments. */
  long next() {
    // Many additions can carry the sum past the end.
    long next = samples == all ? taken : Math.min(all - 1, (long) Math.floor(at + 0.5) - first);
    taken++;
    at += step;
    return next;
  }
}
