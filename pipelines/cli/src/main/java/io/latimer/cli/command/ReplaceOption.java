package io.latimer.cli.command;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option to replace an existing output file. */
public final class ReplaceOption {
  @Option(names = "--force", description = "Replace the file if it exists.")
  private boolean force;

  /**
   * Fails early, before hours of work, if a file cannot be written, or exists and may not be
   * replaced.
   *
   * @throws CommandException saying why
   */
  public void requireWritable(Path out) {
    ReplacedFile.requireWritable(out);
    if (!force && Files.exists(out)) {
      throw new CommandException(out + " already exists; --force replaces it.");
    }
  }
}
