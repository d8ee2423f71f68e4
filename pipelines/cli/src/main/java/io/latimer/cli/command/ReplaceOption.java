package io.latimer.cli.command;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Whether a command may replace the file that it writes. */
public final class ReplaceOption {
  @Option(names = "--force", description = "Replace the file if it exists.")
  private boolean force;

  /**
   * Fails before hours of work if a file cannot be written or exists and is not to be replaced.
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
