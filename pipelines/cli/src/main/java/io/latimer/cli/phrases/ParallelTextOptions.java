package io.latimer.cli.phrases;

import io.latimer.cli.command.SentencePairOptions;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The files of a parallel text. */
final class ParallelTextOptions {
  @Mixin private SentencePairOptions pairs;

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
    return new PhraseTextFiles(pairs.source(), pairs.target(), alignment);
  }

  boolean skipBad() {
    return skipBad;
  }
}
