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
 * until a timeout. A second signal ends the process at once. One within half a second of the first
 * is ignored, because some senders send twice: {@code timeout} signals its child, and then the
 * child's process group.
 *
 * <p>The signal is handled before the JVM starts to shut down: shutdown hooks run in parallel, and
 * those of Flink and of the log would remove what an orderly shutdown needs.
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

  /** Waits up to the default time for the command's cleanup. */
  public StopSignal() {
    this(Duration.ZERO);
  }

  /**
   * Waits longer for the command's cleanup.
   *
   * @param work the command's own time limit for work before its cleanup
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

  /** Signals that cleanup is complete, so that the process may end. Closing twice is safe. */
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

  /** Records a signal and returns its meaning. */
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
