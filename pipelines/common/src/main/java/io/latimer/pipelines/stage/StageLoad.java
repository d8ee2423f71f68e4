package io.latimer.pipelines.stage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The number of batches that a stage of a group currently has, on all its indexes. Thread-safe. */
public final class StageLoad {
  /** Minimum time between two batches whose device time is measured, in nanoseconds. */
  private static final long MEASURED_EVERY = TimeUnit.SECONDS.toNanos(1);

  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger working = new AtomicInteger();
  private final AtomicLong measured = new AtomicLong(System.nanoTime() - MEASURED_EVERY);

  StageLoad() {}

  void arrived() {
    waiting.incrementAndGet();
  }

  void waited() {
    waiting.decrementAndGet();
  }

  void begun() {
    working.incrementAndGet();
  }

  void ended() {
    working.decrementAndGet();
  }

  /** Whether to measure the device time of a batch that begins now; true for only one caller. */
  boolean isMeasured(long now) {
    long last = measured.get();
    return now - last >= MEASURED_EVERY && measured.compareAndSet(last, now);
  }

  /** Called if the batch that began then was not measured, so that the next one may be. */
  void notMeasured(long then) {
    measured.compareAndSet(then, then - MEASURED_EVERY);
  }

  /** Number of batches that wait for their turn, 0 or more. */
  public int waiting() {
    return waiting.get();
  }

  /** Number of batches that it is working on, 0 or more. */
  public int working() {
    return working.get();
  }
}
