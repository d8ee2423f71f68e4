package io.latimer.cli.web;

import org.HdrHistogram.SynchronizedHistogram;

/**
 * Counts latencies in buckets, so that quantiles are accurate to 7 % in memory that depends on the
 * largest one only. Thread-safe.
 */
public final class LatencyHistogram {
  private final SynchronizedHistogram counts = new SynchronizedHistogram(1);

  /**
   * Counts one latency.
   *
   * @param millis negative values, from clocks that disagree, count as 0
   */
  public void add(long millis) {
    counts.recordValue(Math.max(0, millis));
  }

  /**
   * A quantile of the latency: the upper end of its bucket, in milliseconds.
   *
   * @param share above 0, at most 1
   * @return 0 if nothing was counted
   */
  public long quantile(double share) {
    return counts.getValueAtPercentile(100 * share);
  }
}
