package io.latimer.cli.phrases;

import io.latimer.cli.terminal.ProgressLine;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.phrases.index.PhraseIndexReport;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.util.BuildProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The progress line of building an index: the text read, then the steps; at the end, the result.
 */
final class IndexProgress extends ProgressLine implements BuildProgress {
  private static final double GUESS_SECONDS = 2;

  private final Terminal terminal;

  /**
   * @param bytes size of the text to read, uncompressed; 0 if unknown
   * @param nanoClock such as {@link System#nanoTime}
   */
  IndexProgress(Terminal terminal, long bytes, LongSupplier nanoClock) {
    super(terminal, bytes, GUESS_SECONDS, nanoClock);
    this.terminal = terminal;
  }

  /** The size of a text; 0, for unknown, if a file is compressed. */
  static long bytes(PhraseTextFiles files) {
    List<Path> all = List.of(files.source(), files.target(), files.alignment());
    boolean plain = all.stream().noneMatch(file -> file.toString().endsWith(".gz"));
    return plain ? all.stream().mapToLong(file -> file.toFile().length()).sum() : 0;
  }

  @Override
  public void read(long bytes) {
    done(bytes);
  }

  @Override
  public void step(String what) {
    terminal.status(what + " ...");
  }

  /** Never, because the text is in files. */
  @Override
  public boolean isTyped() {
    return false;
  }

  @Override
  public String counts(double seconds) {
    return String.format(
        Locale.ROOT, "reading  %,.1f MB  %,.1f MB/s", count() / 1e6, count() / 1e6 / seconds);
  }

  /** Removes the line and prints the result. */
  void end(Path out, PhraseIndexReport report) {
    terminal.status("");
    terminal.message(
        String.format(
            Locale.ROOT,
            "%s: %,d sentence %s, %,d source words (%,d distinct), %,d target words (%,d"
                + " distinct), %,d %s, %,.1f MB on disk",
            out,
            report.sentences(),
            report.sentences() == 1 ? "pair" : "pairs",
            report.sourceWords(),
            report.sourceVocabulary(),
            report.targetWords(),
            report.targetVocabulary(),
            report.segments(),
            report.segments() == 1 ? "segment" : "segments",
            report.fileBytes() / 1e6));
    if (report.skipped() > 0) {
      terminal.message(
          String.format(
              Locale.ROOT,
              "latimer: warning: %,d bad sentence %s skipped.",
              report.skipped(),
              report.skipped() == 1 ? "pair was" : "pairs were"));
    }
  }
}
