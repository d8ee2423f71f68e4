package io.latimer.operators.util;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * Files and pipes that may be gzip, recognized by their first two bytes (RFC 1952) and not by name.
 */
public final class PackedFile {
  private PackedFile() {}

  /**
   * Always reports an available byte instead of asking the file, which fails for a pipe. This makes
   * a {@link GZIPInputStream} look for another member.
   */
  private static final class Unasked extends FilterInputStream {
    Unasked(InputStream in) {
      super(in);
    }

    @Override
    public int available() {
      return 1;
    }
  }

  /**
   * Opens a file for reading, to be closed by the caller.
   *
   * @param buffer bytes to read at a time, 2 or more
   * @return its content: a {@link GZIPInputStream} if the file is gzip, else a buffered stream
   * @throws IOException if it cannot be read
   */
  public static InputStream open(Path file, int buffer) throws IOException {
    InputStream raw = new BufferedInputStream(new Unasked(Files.newInputStream(file)), buffer);
    try {
      raw.mark(2);
      boolean packed = raw.read() == 0x1f && raw.read() == 0x8b;
      raw.reset();
      return packed ? new GZIPInputStream(raw, buffer) : raw;
    } catch (IOException | RuntimeException e) {
      raw.close();
      throw e;
    }
  }
}
