package io.latimer.operators.index;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * One kind of index file. Each format defines its own, in the class that opens it.
 *
 * @param id what stands in the file and in an {@link IndexRef}: lower-case ASCII, 1 to 32 bytes
 * @param oldest the oldest version of the format that can be read, 1 or more
 * @param version the version that is written, and the newest that can be read
 * @param check reads all that lies in the sections of an open file, and throws an {@link
 *     io.latimer.operators.OperatorException} that says what is wrong there
 */
public record IndexKind(String id, int oldest, int version, Consumer<IndexFile> check) {
  public IndexKind {
    Objects.requireNonNull(check, "check");
    if (!id.matches("[a-z0-9-]{1," + IndexLayout.KIND_LENGTH + "}")) {
      throw new IllegalArgumentException(
          "the id of an index kind must be 1 to "
              + IndexLayout.KIND_LENGTH
              + " lower-case letters, digits and hyphens, found "
              + id);
    }
    if (oldest < 1 || version < oldest) {
      throw new IllegalArgumentException(
          "the versions of an index kind must be 1 or more and in order, found "
              + oldest
              + " to "
              + version);
    }
  }

  /**
   * This kind as an earlier version of its format wrote it: for a file with sections of another.
   */
  public IndexKind written(int earlier) {
    return new IndexKind(id, oldest, earlier, check);
  }
}
