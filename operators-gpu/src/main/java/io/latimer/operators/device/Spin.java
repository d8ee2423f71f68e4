package io.latimer.operators.device;

import java.util.function.BooleanSupplier;

/** Waiting for a thread that is at work: a sleep would take longer than the work. */
final class Spin {
  /** Some microseconds; beyond, the thread that is waited for may need this one's processor. */
  private static final int SPINS = 1000;

  private Spin() {}

  @SuppressWarnings("ThreadPriorityCheck") // yields for speed alone: the condition decides
  static void until(BooleanSupplier condition) {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }
}
