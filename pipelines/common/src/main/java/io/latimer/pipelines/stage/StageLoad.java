package io.latimer.pipelines.stage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The batches that a stage of a group has at the moment, on all its indexes. Thread-safe. */
public final class StageLoad {
  /** Nanoseconds between two batches whose time on the device is measured. */
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

  /** Whether a batch that begins now is to be measured on the device; true for one of them. */
  boolean isMeasured(long now) {
    long last = measured.get();
    return now - last >= MEASURED_EVERY && measured.compareAndSet(last, now);
  }

  /** Nothing was measured of the batch that began then: the next one may be measured instead. */
  void notMeasured(long then) {
    measured.compareAndSet(then, then - MEASURED_EVERY);
  }

  /** Batches that wait for their turn; 0 or more. */
  public int waiting() {
    return waiting.get();
  }

  /** Batches on which it works; 0 or more. */
  public int working() {
    return working.get();
  }
}
