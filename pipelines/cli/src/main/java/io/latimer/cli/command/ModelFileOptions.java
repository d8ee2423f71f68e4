package io.latimer.cli.command;

import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the file and the version of a new model. */
public final class ModelFileOptions {
  @Option(
      names = "--model-version",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Your version of the model, at most 64 bytes; its results carry it.")
  private String version;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "The model file to write: .lmx for translation, .llm for a language model.")
  private Path out;

  @Mixin private ReplaceOption replace;

  /** The version; may be empty. */
  public String version() {
    return version;
  }

  /**
   * The file to write.
   *
   * @throws CommandException if it cannot be written, or exists and may not be replaced
   */
  public Path out() {
    replace.requireWritable(out);
    return out;
  }
}
