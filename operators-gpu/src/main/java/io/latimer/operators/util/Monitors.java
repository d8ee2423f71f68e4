package io.latimer.operators.util;

import java.util.function.BooleanSupplier;

/** Waits on monitors. */
public final class Monitors {
  private Monitors() {}

  /**
   * Waits until a condition holds. An interrupt does not end the wait; the thread is interrupted
   * again afterwards.
   *
   * @param monitor an object whose monitor the caller holds; code that changes the condition must
   *     notify it
   */
  public static void awaitUninterruptibly(Object monitor, BooleanSupplier condition) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      try {
        monitor.wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
