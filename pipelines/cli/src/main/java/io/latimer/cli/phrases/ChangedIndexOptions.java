package io.latimer.cli.phrases;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.IndexFileOptions;
import io.latimer.cli.command.ReplacedFile;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.phrases.index.PhraseIndexReport;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for an index to read and the file for the changed one. */
final class ChangedIndexOptions {
  @Option(
      names = "--index",
      paramLabel = "FILE",
      required = true,
      description = "The phrase index, .lpx.")
  private Path index;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The phrase index to write; replaces the one of --index if omitted.")
  private Path out;

  @Mixin private IndexFileOptions file;

  /** The index to read. */
  Path index() {
    return index;
  }

  /**
   * The file to write, checked early, before hours of work. If --index is a symbolic link to be
   * replaced, this is its target.
   *
   * @throws io.latimer.cli.command.CommandException if it cannot be written
   */
  Path out() {
    if (out == null) {
      Path target = Files.isSymbolicLink(index) ? target(index) : index;
      ReplacedFile.requireWritable(target);
      return target;
    }
    file.requireWritable(out);
    return out;
  }

  private static Path target(Path link) {
    try {
      return link.toRealPath();
    } catch (IOException e) {
      throw new CommandException(
          link + ", a symbolic link, cannot be followed: " + FileErrors.reason(e) + ".", e);
    }
  }

  /**
   * Creates the changed index, while no other process changes the file to write.
   *
   * @param to the file to write
   * @param change creates it; receives the version to record, by default that of the index
   * @throws CommandException if another process changes it
   */
  PhraseIndexReport change(Path to, Function<String, PhraseIndexReport> change) {
    return ExclusiveWork.on(
        to,
        () -> {
          // closed only after the change, because closing the file releases the lock
          try (IndexFile old = IndexFile.open(index)) {
            return change.apply(file.version(old.version()));
          }
        });
  }
}
