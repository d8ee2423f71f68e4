package io.latimer.cli;

import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The progress line of a command that reads bytes: how many, how fast, and when it will be done.
 * Shown to a person who waits, and not to one who types.
 */
final class ByteProgress {
  private static final long REDRAW_NANOS = 200_000_000;
  private static final double GUESS_SECONDS = 2; // earlier, the time left is a wild guess

  private final Terminal terminal;
  private final long totalBytes;
  private final LongSupplier nanoClock;
  private final long start;
  private long shown;
  private long bytes;

  /**
   * @param totalBytes size of the input, 0 where it is not known
   * @param nanoClock such as {@link System#nanoTime}
   */
  ByteProgress(Terminal terminal, long totalBytes, LongSupplier nanoClock) {
    this.terminal = terminal;
    this.totalBytes = totalBytes;
    this.nanoClock = nanoClock;
    this.start = nanoClock.getAsLong();
    this.shown = start;
  }

  /** Counts bytes that were read and worked on, and now and then shows the count. */
  void add(long read) {
    bytes += read;
    long now = nanoClock.getAsLong();
    if (now - shown >= REDRAW_NANOS && !terminal.inIsTerminal()) {
      shown = now;
      terminal.status(text(now));
    }
  }

  /** Removes the progress line and, for a person who looks, leaves the totals. */
  void end() {
    terminal.status("");
    if (terminal.errIsTerminal() && !terminal.inIsTerminal()) {
      terminal.message(text(nanoClock.getAsLong()));
    }
  }

  private String text(long now) {
    double seconds = Math.max(1e-3, (now - start) / 1e9);
    String text =
        String.format(
            Locale.ROOT,
            "%,.1f MB  %,.1f MB/s  %s",
            bytes / 1e6,
            bytes / 1e6 / seconds,
            Progress.clock(Math.round(seconds)));
    if (totalBytes <= bytes || seconds < GUESS_SECONDS) {
      return text;
    }
    long left = Math.round(seconds / bytes * (totalBytes - bytes));
    return String.format(
        Locale.ROOT, "%s  %d %%, %s left", text, 100 * bytes / totalBytes, Progress.clock(left));
  }
}
