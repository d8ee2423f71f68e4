package io.latimer.cli.phrases;

import io.latimer.cli.command.CommandException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** How a command that makes an index writes it, besides its name. */
final class IndexFileOptions {
  private static final int MAX_VERSION = 64;

  @Option(
      names = "--index-version",
      paramLabel = "TEXT",
      description = "Your version of the index, at most 64 bytes.")
  private String version;

  @Option(names = "--force", description = "Replace the file if it exists.")
  private boolean force;

  /**
   * The version to record.
   *
   * @param otherwise the version if none is given
   * @throws CommandException if a file cannot carry it
   */
  String version(String otherwise) {
    if (version == null) {
      return otherwise;
    }
    if (version.getBytes(StandardCharsets.UTF_8).length > MAX_VERSION
        || version.chars().anyMatch(Character::isISOControl)) {
      throw new CommandException(
          "--index-version takes " + MAX_VERSION + " bytes without control characters.");
    }
    return version;
  }

  /**
   * Fails before hours of work if a file cannot be written.
   *
   * @throws CommandException saying why
   */
  void requireWritable(Path out) {
    Path folder = out.toAbsolutePath().getParent();
    if (folder == null || Files.isDirectory(out)) {
      throw new CommandException(out + " is a folder; name a file.");
    }
    if (!Files.isDirectory(folder)) {
      throw new CommandException(folder + ": no such folder.");
    }
    if (!force && Files.exists(out)) {
      throw new CommandException(out + " already exists; --force replaces it.");
    }
  }
}
