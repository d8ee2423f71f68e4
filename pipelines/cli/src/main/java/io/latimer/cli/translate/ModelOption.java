package io.latimer.cli.translate;

import io.latimer.cli.command.Examples;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option for a translation model. */
public final class ModelOption {
  @Option(
      names = {"-m", "--model"},
      paramLabel = "FILE",
      description = "Model file (.lmx); the English-German example if omitted.")
  private Path file;

  /** Whether it is the example. */
  public boolean isExample() {
    return file == null;
  }

  /** The model file; it may not exist. */
  public Path file() {
    return file == null ? Examples.model() : file;
  }
}
