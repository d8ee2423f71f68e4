package io.latimer.cli.terminal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or SIGTERM, or a closed terminal) for a command that must clean up first: the command
 * polls whether to stop, and the process lives on until the command has closed this object, or
 * until a timeout. A second signal ends the process at once.
 *
 * <p>The signal is handled before the JVM starts to shut down: all shutdown hooks run in parallel,
 * and those of Flink and of the log would remove what an orderly shutdown needs.
 */
public final class StopSignal implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final int EXIT_CODES = 128; // the shell's code for a program ended by a signal

  private final Duration grace;
  private final CountDownLatch done = new CountDownLatch(1);
  private final List<Signals.Restore> before = new ArrayList<>();
  private int exitCode;

  /** Waits for the usual time until the command has cleaned up. */
  public StopSignal() {
    this(Duration.ZERO);
  }

  /**
   * Waits longer.
   *
   * @param work the command's own limit for what it does before it cleans up
   */
  public StopSignal(Duration work) {
    grace = GRACE.plus(work);
    for (String name : List.of("INT", "TERM", "HUP")) {
      Signals.handle(name, this::raise).ifPresent(before::add);
    }
  }

  /** Whether to stop. */
  public boolean isRaised() {
    return exitCode() != 0;
  }

  /** The exit code after a stop, 130 for Ctrl-C; 0 if not stopped. */
  public synchronized int exitCode() {
    return exitCode;
  }

  /** Cleanup is complete: the process may end. Closing twice is safe. */
  @Override
  public void close() {
    before.forEach(Signals.Restore::close);
    before.clear();
    done.countDown();
  }

  /** Called in a new thread for each signal. */
  private void raise(int number) {
    boolean first = first(number);
    if (first && inTime()) {
      return;
    }
    System.err.println(
        first
            ? "latimer: gave up waiting for an orderly shutdown."
            : "latimer: the shutdown was incomplete.");
    System.exit(exitCode());
  }

  private synchronized boolean first(int number) {
    boolean first = exitCode == 0;
    exitCode = EXIT_CODES + number;
    return first;
  }

  private boolean inTime() {
    try {
      return done.await(grace.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
