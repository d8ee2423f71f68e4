package io.latimer.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The progress line of a command that reads an input: what it has counted, how long it has worked
 * and when it will be done. Shown to a person who waits, and not to one who types.
 */
abstract class ProgressLine {
  private static final long REDRAW_NANOS = 200_000_000;

  private final Terminal terminal;
  private final long totalBytes;
  private final double guessSeconds;
  private final LongSupplier nanoClock;
  private final long start;
  private long shown;
  private long bytes;

  /**
   * @param totalBytes size of the input, 0 where it is not known
   * @param guessSeconds earlier, the time left is a wild guess and not shown
   * @param nanoClock such as {@link System#nanoTime}
   */
  ProgressLine(Terminal terminal, long totalBytes, double guessSeconds, LongSupplier nanoClock) {
    this.terminal = terminal;
    this.totalBytes = totalBytes;
    this.guessSeconds = guessSeconds;
    this.nanoClock = nanoClock;
    this.start = nanoClock.getAsLong();
    this.shown = start;
  }

  /** What was counted in so many seconds, and how fast. */
  abstract String counts(double seconds);

  /** Bytes of the input that are done. */
  final long bytes() {
    return bytes;
  }

  /** Counts bytes of the input that are done, and now and then shows the line. */
  final void done(long read) {
    bytes += read;
    long now = nanoClock.getAsLong();
    if (now - shown >= REDRAW_NANOS && !terminal.inIsTerminal()) {
      shown = now;
      terminal.status(text(now));
    }
  }

  /** Removes the progress line and, for a person who looks, leaves the totals. */
  final void end() {
    terminal.status("");
    if (terminal.errIsTerminal() && !terminal.inIsTerminal()) {
      terminal.message(text(nanoClock.getAsLong()));
    }
  }

  private String text(long now) {
    double seconds = Math.max(1e-3, (now - start) / 1e9);
    String text = counts(seconds) + "  " + clock(Math.round(seconds));
    if (totalBytes <= bytes || seconds < guessSeconds) {
      return text;
    }
    long left = Math.round(seconds / bytes * (totalBytes - bytes));
    return String.format(
        Locale.ROOT, "%s  %d %%, %s left", text, 100 * bytes / totalBytes, clock(left));
  }

  /** Seconds as {@code m:ss} or {@code h:mm:ss}. */
  static String clock(long seconds) {
    Duration time = Duration.ofSeconds(seconds);
    return time.toHours() > 0
        ? String.format(
            Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart())
        : String.format(Locale.ROOT, "%d:%02d", time.toMinutes(), time.toSecondsPart());
  }
}
