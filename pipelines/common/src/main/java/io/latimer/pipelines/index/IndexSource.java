package io.latimer.pipelines.index;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;

/**
 * Reads and publishes index files that are not local. It is serialized to the tasks of a job, and
 * used by several threads at once.
 */
@FunctionalInterface
public interface IndexSource extends Serializable {
  /**
   * Opens a file.
   *
   * @param uri neither a {@code file:} URI nor one with a user name or password
   * @return closed by the caller
   * @throws IndexFormatException if retrying is of no use; the message names the file
   * @throws IOException if retrying may help; the message is a reason without the file's name
   */
  Content open(URI uri) throws IOException;

  /**
   * Publishes a local file to a folder, where it appears only when complete. Does nothing if it is
   * there already.
   *
   * @param sha256 of the file
   * @param name under which it appears
   * @param writer letters and digits, unique among the writers to the folder; only one may write at
   *     a time. Files that it left incomplete are deleted
   * @throws IndexFormatException if retrying is of no use; the message names the folder
   * @throws IOException if retrying may help
   */
  default void publish(Path file, String sha256, URI folder, String name, String writer)
      throws IOException {
    throw new IndexFormatException(
        IndexRef.location(folder)
            + ": no file system for "
            + folder.getScheme()
            + ": here; give a local path");
  }

  /**
   * The content of a file.
   *
   * @param bytes reading fails with an IOException after some time without data
   * @param length in bytes, or -1 if unknown
   */
  record Content(InputStream bytes, long length) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      bytes.close();
    }
  }
}
