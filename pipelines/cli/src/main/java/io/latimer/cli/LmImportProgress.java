package io.latimer.cli;

import java.util.Locale;
import java.util.function.LongSupplier;

/** The progress line of an import: n-grams read of those that there are, and the time left. */
final class LmImportProgress {
  private static final long REDRAW_NANOS = 200_000_000;
  private static final double GUESS_SECONDS = 2; // earlier, the time left is a wild guess

  private final Terminal terminal;
  private final LongSupplier nanoClock;
  private final long start;
  private long shown;

  /**
   * @param nanoClock such as {@link System#nanoTime}
   */
  LmImportProgress(Terminal terminal, LongSupplier nanoClock) {
    this.terminal = terminal;
    this.nanoClock = nanoClock;
    this.start = nanoClock.getAsLong();
    this.shown = start;
  }

  /**
   * Shows, now and then, how far the import is.
   *
   * @param section the order that is being read, 0 while the model is written
   */
  void at(int section, long ngrams, long total) {
    long now = nanoClock.getAsLong();
    if (section > 0 && now - shown < REDRAW_NANOS) {
      return;
    }
    shown = now;
    if (section == 0) {
      terminal.status(String.format(Locale.ROOT, "%,d n-grams read, writing", ngrams));
      return;
    }
    double seconds = Math.max(1e-3, (now - start) / 1e9);
    String text =
        String.format(
            Locale.ROOT,
            "%d-grams  %,d of %,d n-grams  %,.0f a second  %s",
            section,
            ngrams,
            total,
            ngrams / seconds,
            Progress.clock(Math.round(seconds)));
    if (seconds >= GUESS_SECONDS && ngrams > 0) {
      long left = Math.round(seconds / ngrams * (total - ngrams));
      text =
          String.format(
              Locale.ROOT, "%s  %d %%, %s left", text, 100 * ngrams / total, Progress.clock(left));
    }
    terminal.status(text);
  }
}
