package io.latimer.kafka;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Deletes the broker's directory, for the program that started it or for an orphaned broker. */
final class Directories {
  private Directories() {}

  /** Deletes a directory recursively; links are deleted, not followed. */
  static void delete(Path directory) throws IOException {
    try {
      Files.walkFileTree(directory, new Deleter());
    } catch (NoSuchFileException e) {
      // already deleted
    }
  }

  private static final class Deleter extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      // threads of a live broker delete files, too
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, IOException e) throws IOException {
      if (e != null) {
        throw e;
      }
      Files.deleteIfExists(visited);
      return FileVisitResult.CONTINUE;
    }
  }
}
