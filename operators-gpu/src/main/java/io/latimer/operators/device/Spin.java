package io.latimer.operators.device;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for a thread that is at work, which mostly takes less than a sleep does. */
final class Spin {
  /** Some microseconds; beyond, the thread that is waited for may need this one's processor. */
  private static final int SPINS = 1000;

  /** As long as a sleep takes at least, or about so. */
  private static final long NANOS = 20_000;

  private Spin() {}

  @SuppressWarnings("ThreadPriorityCheck") // yields for speed alone: the condition decides
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
