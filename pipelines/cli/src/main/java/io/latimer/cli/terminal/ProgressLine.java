package io.latimer.cli.terminal;

import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The progress line of a command that reads an input: counts, elapsed time and time left. Not shown
 * if the input is typed.
 */
public abstract class ProgressLine {
  private static final long REDRAW_NANOS = 200_000_000;

  private final Terminal terminal;
  private final double guessSeconds;
  private final LongSupplier nanoClock;
  private final long start;
  private long shown;
  private long total;
  private long count;

  /**
   * @param total size of the input, in bytes or the counted unit, 0 if unknown
   * @param guessSeconds time before which the time left is too uncertain to show
   * @param nanoClock such as {@link System#nanoTime}
   */
  public ProgressLine(Terminal terminal, long total, double guessSeconds, LongSupplier nanoClock) {
    this.terminal = terminal;
    this.total = total;
    this.guessSeconds = guessSeconds;
    this.nanoClock = nanoClock;
    this.start = nanoClock.getAsLong();
    this.shown = start;
  }

  /** The count and the speed after a number of seconds. */
  public abstract String counts(double seconds);

  /** Whether the input may be typed, so that nothing should be shown. */
  public boolean isTyped() {
    return terminal.inIsTerminal();
  }

  /** Sets the size of the input, if it becomes known only after some of it was read. */
  public final void total(long size) {
    total = size;
  }

  /** The processed amount of input. */
  public final long count() {
    return count;
  }

  /** Counts processed input and periodically shows the line. */
  public final void done(long read) {
    count += read;
    long now = nanoClock.getAsLong();
    if (now - shown >= REDRAW_NANOS && !isTyped()) {
      shown = now;
      terminal.status(text(now));
    }
  }

  /** Removes the progress line and, on a terminal, leaves the totals. */
  public final void end() {
    terminal.status("");
    if (terminal.errIsTerminal() && !isTyped()) {
      terminal.message(text(nanoClock.getAsLong()));
    }
  }

  private String text(long now) {
    double seconds = Math.max(1e-3, (now - start) / 1e9);
    String text = counts(seconds) + "  " + clock(Math.round(seconds));
    if (total <= count || count == 0 || seconds < guessSeconds) {
      return text;
    }
    long left = Math.round(seconds / count * (total - count));
    return String.format(Locale.ROOT, "%s  %d %%, %s left", text, 100 * count / total, clock(left));
  }

  /** Seconds as {@code m:ss} or {@code h:mm:ss}. */
  public static String clock(long seconds) {
    Duration time = Duration.ofSeconds(seconds);
    return time.toHours() > 0
        ? String.format(
            Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart())
        : String.format(Locale.ROOT, "%d:%02d", time.toMinutes(), time.toSecondsPart());
  }
}
