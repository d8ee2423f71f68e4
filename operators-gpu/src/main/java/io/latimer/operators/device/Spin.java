package io.latimer.operators.device;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Spins while another thread works: the wait is usually shorter than a sleep. */
final class Spin {
  /**
   * Spins for some microseconds; after that, the awaited thread may need this thread's processor.
   */
  private static final int SPINS = 1000;

  /** About the shortest time that a sleep takes. */
  private static final long NANOS = 20_000;

  private Spin() {}

  @SuppressWarnings("ThreadPriorityCheck") // yields only for speed: the condition decides
  static void until(BooleanSupplier condition) {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(NANOS);
      }
    }
  }
}
