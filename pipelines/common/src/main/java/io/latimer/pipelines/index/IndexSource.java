package io.latimer.pipelines.index;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;

/**
 * Where index files come from that are not local, and go to. It is sent to the tasks of a job, and
 * used by several threads at once.
 */
@FunctionalInterface
public interface IndexSource extends Serializable {
  /**
   * Opens a file.
   *
   * @param uri neither a {@code file:} URI nor one with a user name or password
   * @return closed by the caller
   * @throws IndexFormatException if trying again is of no use; the message names the file
   * @throws IOException if trying again may help; the message is a reason, without the file's name
   */
  Content open(URI uri) throws IOException;

  /**
   * Puts a local file into a folder, where it appears when it is complete. Nothing is changed if it
   * is there already.
   *
   * @param sha256 of the file
   * @param name under which it appears
   * @param writer letters and digits that no other writer to the folder has; only one may write at
   *     a time. What it did not complete before is deleted
   * @throws IndexFormatException if trying again is of no use; the message names the folder
   * @throws IOException if trying again may help
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
   * @param bytes reading them fails with an IOException after a time without any
   * @param length in bytes, or -1 if it is not known
   */
  record Content(InputStream bytes, long length) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      bytes.close();
    }
  }
}
