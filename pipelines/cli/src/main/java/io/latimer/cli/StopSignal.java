package io.latimer.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or a polite kill), for a command that has something to put in order first: it asks now
 * and then whether to stop, and the process lives on until it has closed this, or for a while.
 */
final class StopSignal implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(20);

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stop, "stop-signal");
  private volatile boolean raised;

  StopSignal() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether to stop. */
  boolean isRaised() {
    return raised;
  }

  /** All is in order: the process may end. Closing twice is safe. */
  @Override
  public void close() {
    done.countDown();
    if (!raised) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        raised = true; // it came just now, and finds all in order
      }
    }
  }

  private void stop() {
    raised = true;
    try {
      if (!done.await(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        System.err.println("latimer: gave up waiting for an orderly end.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
