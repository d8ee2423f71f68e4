package io.latimer.cli.terminal;

import java.util.Locale;
import java.util.function.LongSupplier;

/** The progress line of a command that reads bytes: how many, and how fast. */
public final class ByteProgress extends ProgressLine {
  private static final double GUESS_SECONDS = 2;

  /** See {@link ProgressLine}. */
  public ByteProgress(Terminal terminal, long totalBytes, LongSupplier nanoClock) {
    super(terminal, totalBytes, GUESS_SECONDS, nanoClock);
  }

  /** Counts processed bytes. */
  public void add(long read) {
    done(read);
  }

  @Override
  public String counts(double seconds) {
    return String.format(
        Locale.ROOT, "%,.1f MB  %,.1f MB/s", count() / 1e6, count() / 1e6 / seconds);
  }
}
