package io.latimer.operators.index;

import io.latimer.operators.util.Sha256;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * Index files in a folder that are named after their content: the SHA-256 of the bytes, plus an
 * ending. A file appears under its name only when complete, and its content never changes. Files
 * are not deleted here, because the publisher cannot know which are in use.
 */
public final class PublishedFiles {
  /** Characters of the SHA-256 in the name of a writer. */
  private static final int WRITER_DIGITS = 32;

  private PublishedFiles() {}

  /**
   * Names a writer.
   *
   * @param what it alone writes; the same after a restart
   */
  public static String writer(String what) {
    return Sha256.of(what).substring(0, WRITER_DIGITS);
  }

  /**
   * A name for a file that is not complete yet, in the same folder, for {@link #deleteUnnamed}.
   *
   * @param writer letters and digits that other writers to the folder do not have
   */
  public static Path unnamed(Path folder, String writer) {
    return folder.resolve("." + writer + "." + UUID.randomUUID() + ".tmp");
  }

  /**
   * Deletes the files that a writer has not completed, such as those of a process that was killed.
   * A file that is being written is lost.
   *
   * @param writer as for {@link #unnamed(Path, String)}
   */
  public static void deleteUnnamed(Path folder, String writer) throws IOException {
    // an index file has a temporary name of its own while it is written: with one more dot
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, "{.,..}" + writer + ".*.tmp")) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /**
   * Renames a complete, synced file to the name of its content, in place of an identical file if
   * there is one.
   *
   * @param unnamed in the folder
   * @param ending such as {@code .llm}
   * @return its location
   */
  public static IndexRef name(Path unnamed, Path folder, String ending) throws IOException {
    IndexRef found = IndexRefs.of(unnamed);
    Path named = folder.resolve(found.sha256() + ending);
    Files.move(unnamed, named, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel entries = FileChannel.open(folder)) {
      entries.force(true);
    }
    return new IndexRef(
        found.kind(), named.toAbsolutePath().normalize().toUri(), found.sha256(), found.version());
  }
}
