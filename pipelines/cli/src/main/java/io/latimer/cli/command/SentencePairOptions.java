package io.latimer.cli.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The two files of a parallel text. */
public final class SentencePairOptions {
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

  /** The source sentences. */
  public Path source() {
    return source;
  }

  /** The target sentences. */
  public Path target() {
    return target;
  }
}
