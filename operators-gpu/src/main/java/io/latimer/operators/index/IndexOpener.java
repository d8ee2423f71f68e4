package io.latimer.operators.index;

import io.latimer.operators.device.Device;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Opens an operator on an index file: the kind of file it reads, and the function that opens it. A
 * stage keeps one, so that it can open the same operator on another file of the kind: open on the
 * new reference first, then let the old operator finish and close it.
 *
 * @param kind of the files that can be opened
 * @param open opens the operator, which holds its {@link ResidentIndexes.Lease} until it is closed
 * @param <O> the operator
 */
public record IndexOpener<O>(IndexKind kind, Open<O> open) {
  public IndexOpener {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(open, "open");
  }

  /**
   * Opens an operator on an index file.
   *
   * @param <O> the operator
   */
  @FunctionalInterface
  public interface Open<O> {
    /**
     * Opens the operator.
     *
     * @param residents where loaded indexes are shared
     * @param ref the file
     * @param device where to work
     * @throws io.latimer.operators.OperatorException when the file is not the one that is meant, or
     *     cannot be loaded on the device
     */
    O on(ResidentIndexes residents, IndexRef ref, Device device);
  }

  /**
   * Opens the operator.
   *
   * @see Open#on
   */
  public O open(ResidentIndexes residents, IndexRef ref, Device device) {
    return open.on(residents, ref, device);
  }

  /**
   * Opens the operator on a file, which is read whole to know its content, with the indexes that
   * the process shares.
   *
   * @see Open#on
   */
  public O open(Path path, Device device) {
    try (IndexFile file = IndexFile.open(path)) {
      IndexRef ref = IndexRefs.of(file);
      AtomicReference<IndexFile> once = new AtomicReference<>(file);
      ResidentIndexes residents =
          ResidentIndexes.process()
              .reading(
                  wanted -> {
                    IndexFile known = wanted.equals(ref) ? once.getAndSet(null) : null;
                    return known == null ? IndexRefs.open(wanted) : known;
                  });
      return open(residents, ref, device);
    }
  }

  /**
   * Opens the operator with the indexes that the process shares.
   *
   * @see Open#on
   */
  public O open(IndexRef ref, Device device) {
    return open(ResidentIndexes.process(), ref, device);
  }

  /**
   * Makes an operator of a lease, which it owns; where that fails, the lease is closed.
   *
   * @param lease closed by the operator, after all that uses it
   */
  public static <T extends AutoCloseable, O> O own(
      ResidentIndexes.Lease<T> lease, Function<ResidentIndexes.Lease<T>, O> operator) {
    try {
      return operator.apply(lease);
    } catch (RuntimeException | Error e) {
      lease.close();
      throw e;
    }
  }
}
