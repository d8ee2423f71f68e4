package io.latimer.cli.web;

/**
 * Counts latencies in buckets that are an eighth of a power of two wide, so that quantiles are
 * accurate to 13 % in constant memory. Thread-safe.
 */
public final class LatencyHistogram {
  private static final int STEPS = 8; // buckets per power of two
  private final long[] counts = new long[STEPS * 44]; // up to 2^43 ms
  private long total;

  /**
   * Counts one latency.
   *
   * @param millis negative values, from clocks that disagree, count as 0
   */
  public synchronized void add(long millis) {
    counts[Math.min(counts.length - 1, bucket(Math.max(0, millis)))]++;
    total++;
  }

  /**
   * A quantile of the latency: the upper end of its bucket, in milliseconds.
   *
   * @param share above 0, at most 1
   * @return 0 if nothing was counted
   */
  public synchronized long quantile(double share) {
    long rank = (long) Math.ceil(share * total);
    long seen = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      seen += counts[bucket];
      if (seen >= rank && seen > 0) {
        return upperEnd(bucket);
      }
    }
    return 0;
  }

  private static int bucket(long millis) {
    if (millis < STEPS) {
      return (int) millis; // exact
    }
    int power = 63 - Long.numberOfLeadingZeros(millis); // 3 or more
    int step = (int) (millis >>> (power - 3)) - STEPS;
    return STEPS * (power - 2) + step;
  }

  private static long upperEnd(int bucket) {
    if (bucket < 2 * STEPS) {
      return bucket;
    }
    int power = bucket / STEPS + 2;
    return ((long) (STEPS + bucket % STEPS + 1) << (power - 3)) - 1;
  }
}
