package io.latimer.cli.lm;

import io.latimer.cli.terminal.ProgressLine;
import io.latimer.cli.terminal.Terminal;
import java.util.Locale;
import java.util.function.LongSupplier;

/** The progress line of an import: n-grams read, their total, and the time left. */
final class LmImportProgress extends ProgressLine {
  private static final double GUESS_SECONDS = 2;

  private final Terminal terminal;
  private int section;
  private long ngrams;

  /**
   * @param nanoClock such as {@link System#nanoTime}
   */
  LmImportProgress(Terminal terminal, LongSupplier nanoClock) {
    super(terminal, 0, GUESS_SECONDS, nanoClock);
    this.terminal = terminal;
  }

  /**
   * Periodically shows the progress of the import.
   *
   * @param order of the n-grams being read, 0 while the model is written
   */
  void at(int order, long read, long all) {
    if (order == 0) {
      terminal.status(String.format(Locale.ROOT, "%,d n-grams read, writing", read));
      return;
    }
    section = order;
    ngrams = all;
    total(all);
    done(read - count());
  }

  /** Never, because the input is a file. */
  @Override
  public boolean isTyped() {
    return false;
  }

  @Override
  public String counts(double seconds) {
    return String.format(
        Locale.ROOT,
        "%d-grams  %,d of %,d n-grams  %,.0f a second",
        section,
        count(),
        ngrams,
        count() / seconds);
  }
}
