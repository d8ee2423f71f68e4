package io.latimer.pipelines.index;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;

/**
 * Where index files come from that are not local. It is sent to the tasks of a job, and used by
 * several threads at once.
 */
@FunctionalInterface
public interface IndexSource extends Serializable {
  /**
   * Opens a file.
   *
   * @param uri neither a {@code file:} URI nor one with a user name or password
   * @return closed by the caller
   * @throws io.latimer.operators.index.IndexFormatException if trying again is of no use; the
   *     message names the file
   * @throws IOException if trying again may help; the message is a reason, without the file's name
   */
  Content open(URI uri) throws IOException;

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
