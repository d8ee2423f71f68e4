package io.latimer.pipelines.stage;

import java.util.concurrent.atomic.AtomicInteger;

/** The batches that a stage of a group has at the moment, on all its indexes. Thread-safe. */
public final class StageLoad {
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger working = new AtomicInteger();

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

  /** Batches that wait for their turn; 0 or more. */
  public int waiting() {
    return waiting.get();
  }

  /** Batches on which it works; 0 or more. */
  public int working() {
    return working.get();
  }
}
