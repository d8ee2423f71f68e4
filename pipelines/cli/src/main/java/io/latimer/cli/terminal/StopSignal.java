package io.latimer.cli.terminal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Ctrl-C (or SIGTERM, or a closed terminal) for a command that must clean up first: the command
 * polls whether to stop, and the process lives on until the command has closed this object, or
 * until a timeout. A second signal ends the process at once; what comes within half a second of the
 * first is not one, because some senders do it twice: {@code timeout} sends to its child, and then
 * to the group of processes that the child is in.
 *
 * <p>The signal is handled before the JVM starts to shut down: all shutdown hooks run in parallel,
 * and those of Flink and of the log would remove what an orderly shutdown needs.
 */
public final class StopSignal implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final long SAME_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int EXIT_CODES = 128; // the shell's code for a program ended by a signal

  private final Duration grace;
  private final LongSupplier nanoTime;
  private final CountDownLatch done = new CountDownLatch(1);
  private final List<Signals.Restore> before = new ArrayList<>();
  private long raisedAt;
  private int exitCode;

  /** What a signal means. */
  enum Meaning {
    STOP,
    THE_SAME,
    END_AT_ONCE
  }

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
    this(work, System::nanoTime);
  }

  StopSignal(Duration work, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
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
    Meaning meaning = take(number);
    if (meaning == Meaning.THE_SAME || (meaning == Meaning.STOP && inTime())) {
      return;
    }
    System.err.println(
        meaning == Meaning.STOP
            ? "latimer: gave up waiting for an orderly shutdown."
            : "latimer: the shutdown was incomplete.");
    System.exit(exitCode());
  }

  /** Takes note of a signal. */
  synchronized Meaning take(int number) {
    long now = nanoTime.getAsLong();
    if (exitCode == 0) {
      raisedAt = now;
      exitCode = EXIT_CODES + number;
      return Meaning.STOP;
    }
    if (now - raisedAt < SAME_NANOS) {
      return Meaning.THE_SAME;
    }
    exitCode = EXIT_CODES + number;
    return Meaning.END_AT_ONCE;
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
