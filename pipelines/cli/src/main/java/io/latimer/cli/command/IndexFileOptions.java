package io.latimer.cli.command;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for writing an index, besides its name. */
public final class IndexFileOptions {
  private static final int MAX_VERSION = 64;

  @Option(
      names = "--index-version",
      paramLabel = "TEXT",
      description = "Your version of the index, at most 64 bytes.")
  private String version;

  @Mixin private ReplaceOption replace;

  /**
   * The version to record.
   *
   * @param otherwise the default version
   * @throws CommandException if an index file cannot store it
   */
  public String version(String otherwise) {
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

  /** See {@link ReplaceOption#requireWritable}. */
  public void requireWritable(Path out) {
    replace.requireWritable(out);
  }
}
