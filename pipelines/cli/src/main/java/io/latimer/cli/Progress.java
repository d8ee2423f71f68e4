package io.latimer.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.StringTokenizer;
import java.util.function.LongSupplier;

/**
 * The progress line of a translation: sentences, words per second, and when it will be done. Shown
 * to a person who waits, and not to one who types.
 */
final class Progress {
  private static final long REDRAW_NANOS = 200_000_000;
  private static final double GUESS_SECONDS = 5; // earlier, the time left is a wild guess

  private final Terminal terminal;
  private final long totalBytes;
  private final LongSupplier nanoClock;
  private final long start;
  private long shown;
  private long lines;
  private long words;
  private long bytes;

  /**
   * @param totalBytes size of the input, 0 where it is not known
   * @param nanoClock such as {@link System#nanoTime}
   */
  Progress(Terminal terminal, long totalBytes, LongSupplier nanoClock) {
    this.terminal = terminal;
    this.totalBytes = totalBytes;
    this.nanoClock = nanoClock;
    this.start = nanoClock.getAsLong();
    this.shown = start;
  }

  /** Counts a line that was translated or refused, and now and then shows the counts. */
  void add(InputLine line) {
    lines++;
    words += new StringTokenizer(line.text()).countTokens();
    bytes += line.bytes();
    long now = nanoClock.getAsLong();
    if (now - shown >= REDRAW_NANOS) {
      shown = now;
      if (!terminal.inIsTerminal()) {
        terminal.status(text(now));
      }
      ;
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
            "%,d sentences  %,.0f words/s  %s",
            lines,
            words / seconds,
            clock(Math.round(seconds)));
    if (totalBytes <= bytes || seconds < GUESS_SECONDS) {
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
