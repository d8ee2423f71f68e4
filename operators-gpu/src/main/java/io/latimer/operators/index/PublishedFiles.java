package io.latimer.operators.index;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * Index files in a folder that are named after their content: the SHA-256 of the bytes, plus an
 * ending. A file appears under its name only when complete, and its content never changes. Files
 * are never deleted, because the publisher cannot know which are in use.
 */
public final class PublishedFiles {
  private PublishedFiles() {}

  /** A name for a file that is not complete yet, in the same folder. */
  public static Path unnamed(Path folder) {
    return folder.resolve("." + UUID.randomUUID() + ".tmp");
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
