package io.latimer.cli.web;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Interrupts threads that wait too long for a browser. The JDK's server has no write time-out; an
 * interrupt closes the connection. Thread-safe.
 */
final class StuckThreads {
  private final LongSupplier nanoTime;
  private final Map<Thread, Long> ends = new HashMap<>();

  StuckThreads(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Work that may block. */
  @FunctionalInterface
  interface Blocking<E extends Exception> {
    void run() throws E, InterruptedException;
  }

  /** Runs work in this thread, which {@link #interrupt} interrupts after the limit. */
  <E extends Exception> void watch(Duration limit, Blocking<E> blocking)
      throws E, InterruptedException {
    synchronized (this) {
      ends.put(Thread.currentThread(), nanoTime.getAsLong() + limit.toNanos());
    }
    try {
      blocking.run();
    } finally {
      synchronized (this) {
        ends.remove(Thread.currentThread());
      }
    }
  }

  /** Interrupts the threads whose limit has passed. */
  synchronized void interrupt() {
    long now = nanoTime.getAsLong();
    ends.forEach(
        (thread, end) -> {
          if (now - end > 0) {
            thread.interrupt();
          }
        });
  }

  synchronized int watched() {
    return ends.size();
  }
}
