package io.latimer.cli.phrases;

import io.latimer.operators.phrases.index.PhraseTextFiles;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The files of a parallel text. */
final class ParallelTextOptions {
  @Option(
      names = "--source",
      paramLabel = "FILE",
      required = true,
      description = "Tokenized source sentences, one per line.")
  private Path source;

  @Option(
      names = "--target",
      paramLabel = "FILE",
      required = true,
      description = "Their tokenized translations.")
  private Path target;

  @Option(
      names = "--alignment",
      paramLabel = "FILE",
      required = true,
      description =
          "Their word alignments, such as 0-0 1-2: places of linked words from 0, source first.")
  private Path alignment;

  @Option(
      names = "--skip-bad",
      description = "Count and skip bad sentence pairs instead of failing at the first.")
  private boolean skipBad;

  PhraseTextFiles files() {
    return new PhraseTextFiles(source, target, alignment);
  }

  boolean skipBad() {
    return skipBad;
  }
}
