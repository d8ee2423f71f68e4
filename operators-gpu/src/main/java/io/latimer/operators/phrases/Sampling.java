package io.latimer.operators.phrases;

/**
 * Samples the occurrences of a phrase, evenly spaced among the ranks of all. Those of an index file
 * and those of learned pairs are sampled separately, so that a phrase that is frequent in the file
 * does not crowd out what was learned.
 */
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
   * @param all occurrences, 0 or more
   * @param samples number of samples, up to {@code all}; 0 only if there is no occurrence
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

  /** The next occurrence, counted from 0 through all segments that are sampled together. */
  long next() {
    // Accumulated rounding can carry the sum past the end.
    long next = samples == all ? taken : Math.min(all - 1, (long) Math.floor(at + 0.5) - first);
    taken++;
    at += step;
    return next;
  }
}
