package io.latimer.cli.terminal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or a polite kill, or a terminal that goes away), for a command that has something to put
 * in order first: it asks now and then whether to stop, and the process lives on until the command
 * has closed this, or for a while. A second signal ends the process at once.
 *
 * <p>The signal is taken before the JVM begins to shut down: all shutdown hooks run side by side,
 * and those of Flink and of the log take away what an orderly end needs.
 */
public final class StopSignal implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final int EXIT_CODES = 128; // what a shell says of a program that a signal ended

  private final CountDownLatch done = new CountDownLatch(1);
  private final List<Signals.Restore> before = new ArrayList<>();
  private int exitCode;

  public StopSignal() {
    for (String name : List.of("INT", "TERM", "HUP")) {
      Signals.handle(name, this::raise).ifPresent(before::add);
    }
  }

  /** Whether to stop. */
  public boolean isRaised() {
    return exitCode() != 0;
  }

  /** What the process ends with once it has stopped, 130 for Ctrl-C; 0 where it goes on. */
  public synchronized int exitCode() {
    return exitCode;
  }

  /** All is in order: the process may end. Closing twice is safe. */
  @Override
  public void close() {
    before.forEach(Signals.Restore::close);
    before.clear();
    done.countDown();
  }

  /** Called in a thread of its own for each signal. */
  private void raise(int number) {
    boolean first = first(number);
    if (first && inTime()) {
      return;
    }
    System.err.println(
        first
            ? "latimer: gave up waiting for an orderly end."
            : "latimer: not everything was put in order.");
    System.exit(exitCode());
  }

  private synchronized boolean first(int number) {
    boolean first = exitCode == 0;
    exitCode = EXIT_CODES + number;
    return first;
  }

  private boolean inTime() {
    try {
      return done.await(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
