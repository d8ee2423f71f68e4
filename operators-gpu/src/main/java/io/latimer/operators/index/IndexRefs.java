package io.latimer.operators.index;

import java.net.URI;
import java.nio.file.Path;

/** Makes references to index files, and finds what they refer to. */
public final class IndexRefs {
  private IndexRefs() {}

  /**
   * Makes the reference to a file: reads all of it, once, and holds its sections against their
   * checksums.
   *
   * @throws IndexFormatException when it is not a sound index file; one that is damaged is named
   *     with the section
   */
  public static IndexRef of(Path file) {
    try (IndexFile index = IndexFile.open(file)) {
      return new IndexRef(
          index.kind(),
          file.toAbsolutePath().normalize().toUri(),
          index.checkedSha256(),
          index.version());
    }
  }

  /**
   * Returns the path of a reference.
   *
   * @throws IndexFormatException when its URI is not one of a local file
   */
  public static Path path(IndexRef ref) {
    URI uri = ref.uri();
    if (!"file".equals(uri.getScheme()) || uri.getPath() == null || uri.getAuthority() != null) {
      throw new IndexFormatException(
          "index " + uri + ": expected a file: URI of a local file, such as file:///models/x.lmx");
    }
    return Path.of(uri.getPath());
  }

  /**
   * Opens the file of a reference and refuses any other than the one that was meant: all of it is
   * read, once, to compare the SHA-256 and the checksums of its sections.
   *
   * @throws IndexFormatException when the file differs in kind or SHA-256, or is not sound; one
   *     that is damaged is named with the section
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
                + "; put the old file back, or refer to the new one");
      }
      return file;
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }
}
