package io.latimer.pipelines.flink.state;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Searches bytes for SHA-256 sums in hexadecimal digits, as all records of a job's state write
 * them. The bytes next to a sum may be digits, too.
 */
final class NamedContents {
  private static final int DIGITS = 64;

  /** The first version of Flink's operator state with a flag for compression. */
  private static final int WITH_COMPRESSION_FLAG = 6;

  private final Set<String> wanted;
  private final Set<String> found = new HashSet<>();
  private final StringBuilder run = new StringBuilder();

  /**
   * Creates a search for some sums.
   *
   * @param wanted in lower case
   */
  NamedContents(Set<String> wanted) {
    this.wanted = wanted;
  }

  /** The sums that were found. */
  Set<String> found() {
    return found;
  }

  /** Searches a state. */
  void read(StreamStateHandle handle) throws IOException {
    try (InputStream in = handle.openInputStream()) {
      read(in);
    }
  }

  /**
   * Searches the state of an operator.
   *
   * @throws IOException if it cannot be read, or is compressed
   */
  void readOperator(StreamStateHandle handle) throws IOException {
    try (InputStream in = handle.openInputStream()) {
      requirePlain(in.readNBytes(Integer.BYTES + 1));
    }
    read(handle);
  }

  private static void requirePlain(byte[] start) throws IOException {
    if (start.length <= Integer.BYTES || start[0] != 0 || start[1] != 0 || start[2] != 0) {
      throw new IOException("the state of an operator is damaged");
    }
    if (start[3] > WITH_COMPRESSION_FLAG) {
      throw new IOException("the state of an operator is of a newer Flink");
    }
    if (start[3] == WITH_COMPRESSION_FLAG && start[Integer.BYTES] != 0) {
      throw new IOException(
          "the state of an operator is compressed; take a savepoint without"
              + " execution.checkpointing.snapshot-compression");
    }
  }

  private void read(InputStream in) throws IOException {
    byte[] buffer = new byte[1 << 16];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      for (int i = 0; i < n; i++) {
        add((char) (buffer[i] & 0xff));
      }
    }
    run.setLength(0);
  }

  private void add(char c) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) {
      run.append(c);
      if (run.length() > DIGITS) {
        run.deleteCharAt(0);
      }
      if (run.length() == DIGITS && wanted.contains(run.toString())) {
        found.add(run.toString());
      }
    } else {
      run.setLength(0);
    }
  }
}
