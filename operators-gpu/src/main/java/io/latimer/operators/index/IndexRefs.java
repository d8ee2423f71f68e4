package io.latimer.operators.index;

import java.net.URI;
import java.nio.file.Path;

/** Creates and resolves references to index files. */
public final class IndexRefs {
  private IndexRefs() {}

  /**
   * Creates the reference to a file: reads all of it once and verifies the checksums of its
   * sections.
   *
   * @throws IndexFormatException if it is not a valid index file; the message names a damaged
   *     section
   */
  public static IndexRef of(Path file) {
    try (IndexFile index = IndexFile.open(file)) {
      return of(index);
    }
  }

  /** The same for an open file. */
  static IndexRef of(IndexFile file) {
    return new IndexRef(
        file.kind(),
        file.path().toAbsolutePath().normalize().toUri(),
        file.checkedSha256(),
        file.version());
  }

  /**
   * Returns the path of a reference.
   *
   * @throws IndexFormatException if its URI is not that of a local file
   */
  public static Path path(IndexRef ref) {
    URI uri = ref.uri();
    if (!"file".equals(uri.getScheme()) || uri.getPath() == null || uri.getAuthority() != null) {
      throw new IndexFormatException(
          "index "
              + ref.location()
              + ": expected a file: URI of a local file, such as file:///models/x.lmx");
    }
    return Path.of(uri.getPath());
  }

  /**
   * Opens the file of a reference and checks that it is the one referred to: reads all of it once
   * to compare the SHA-256 and the checksums of its sections.
   *
   * @throws IndexFormatException if the file differs in kind or SHA-256, or is invalid; the message
   *     names a damaged section
   */
  public static IndexFile open(IndexRef ref) {
    Path path = path(ref);
    IndexFile file = IndexFile.open(path);
    try {
      if (!file.kind().equals(ref.kind())) {
        throw new IndexFormatException(
            path + ": expected an index of kind " + ref.kind() + ", found " + file.kind());
      }
      String found = file.checkedSha256();
      if (!found.equals(ref.sha256())) {
        throw new IndexFormatException(
            path
                + " is not the file that was referred to: expected SHA-256 "
                + ref.sha256()
                + ", found "
                + found
                + "; restore the old file, or refer to the new one");
      }
      return file;
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }
}
