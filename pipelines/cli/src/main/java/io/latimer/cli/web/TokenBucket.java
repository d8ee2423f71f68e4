package io.latimer.cli.web;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A rate limiter with a number of permits per second, which is also the burst size. Thread-safe.
 */
final class TokenBucket {
  private final double perNano;
  private final double most;
  private final LongSupplier nanoTime;
  private double tokens;
  private long filled;

  /**
   * Creates a full bucket.
   *
   * @param perSecond 1 or more
   */
  TokenBucket(int perSecond, LongSupplier nanoTime) {
    this.perNano = perSecond / (double) TimeUnit.SECONDS.toNanos(1);
    this.most = perSecond;
    this.nanoTime = nanoTime;
    this.tokens = perSecond;
    this.filled = nanoTime.getAsLong();
  }

  /** Takes a permit; false if there is none. */
  synchronized boolean take() {
    long now = nanoTime.getAsLong();
    tokens = Math.min(most, tokens + (now - filled) * perNano);
    filled = now;
    if (tokens < 1) {
      return false;
    }
    tokens--;
    return true;
  }
}
