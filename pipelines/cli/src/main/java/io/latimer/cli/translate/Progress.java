package io.latimer.cli.translate;

import io.latimer.cli.command.InputLine;
import io.latimer.cli.terminal.ProgressLine;
import io.latimer.cli.terminal.Terminal;
import java.util.Locale;
import java.util.StringTokenizer;
import java.util.function.LongSupplier;

/** The progress line of a translation: sentences, and words per second. */
final class Progress extends ProgressLine {
  private static final double GUESS_SECONDS = 5;

  private long lines;
  private long words;

  private final boolean typed;

  /**
   * See {@link ProgressLine}.
   *
   * @param typed whether the lines may be typed
   */
  Progress(Terminal terminal, boolean typed, long totalBytes, LongSupplier nanoClock) {
    super(terminal, totalBytes, GUESS_SECONDS, nanoClock);
    this.typed = typed;
  }

  @Override
  public boolean isTyped() {
    return typed;
  }

  /** Counts a translated or refused line. */
  void add(InputLine line) {
    lines++;
    words += new StringTokenizer(line.text()).countTokens();
    done(line.bytes());
  }

  @Override
  public String counts(double seconds) {
    return String.format(Locale.ROOT, "%,d sentences  %,.0f words/s", lines, words / seconds);
  }
}
