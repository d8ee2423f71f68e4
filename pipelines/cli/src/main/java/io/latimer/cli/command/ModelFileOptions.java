package io.latimer.cli.command;

import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
      description = "The model file to write: .lmx for translation, .llm for a language model.")
  private Path out;

  @Mixin private ReplaceOption replace;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

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
    if (out == null) {
      throw new ParameterException(spec.commandLine(), "Missing required option: '--out=FILE'");
    }
    return out(out);
  }

  /**
   * The same for a command that has a file of its own to write where none is given.
   *
   * @param otherwise that file
   */
  public Path out(Path otherwise) {
    Path file = out == null ? otherwise : out;
    replace.requireWritable(file);
    return file;
  }
}
