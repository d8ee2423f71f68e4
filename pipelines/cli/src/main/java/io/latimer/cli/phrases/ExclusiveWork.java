package io.latimer.cli.phrases;

import io.latimer.cli.command.CommandException;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.function.Supplier;

/** Runs work that finally replaces a file, while no other process may replace it. */
final class ExclusiveWork {
  private ExclusiveWork() {}

  /**
   * Runs work while the file is locked; without a lock if the file does not exist yet.
   *
   * @param work must not close a channel of the file before replacing it, because that releases the
   *     lock
   * @throws CommandException if another process is working on the file, or it cannot be locked
   */
  static <T> T on(Path file, Supplier<T> work) {
    if (!Files.isRegularFile(file)) {
      return work.get();
    }
    try {
      Object before = key(file);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        // the locked file may have been replaced before the lock was free
        if (!isLocked(channel) || !Objects.equals(before, key(file))) {
          throw new CommandException(
              file
                  + " is being changed by another process; run the command again when that has"
                  + " ended.");
        }
        return work.get();
      }
    } catch (IOException e) {
      throw new CommandException(
          file + " cannot be locked for writing: " + FileErrors.reason(e) + ".", e);
    }
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // locked by this process
    }
  }

  /** Identifies a file, to detect that another has taken its name. */
  private static Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }
}
