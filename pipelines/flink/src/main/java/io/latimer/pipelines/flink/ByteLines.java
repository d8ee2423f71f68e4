package io.latimer.pipelines.flink;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The lines of a stream as bytes, without their line ends ({@code \n} or {@code \r\n}). Bytes,
 * because a line that is not UTF-8 must reach the dead letters as it came.
 */
final class ByteLines implements Closeable {
  /** Longest line that is read, in bytes: what is longer is no text, or an attack. */
  static final int MAX_LINE_BYTES = 1 << 26;

  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream stream;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int next;
  private int end;

  ByteLines(InputStream stream) {
    this.stream = stream;
  }

  /**
   * Reads the next line.
   *
   * @return null at the end of the stream
   * @throws IOException if the stream cannot be read, or a line is longer than {@link
   *     #MAX_LINE_BYTES}
   */
  byte[] read() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean any = false;
    while (true) {
      if (next == end) {
        end = Math.max(0, stream.read(buffer));
        next = 0;
        if (end == 0) {
          return any ? line.toByteArray() : null;
        }
      }
      any = true;
      int from = next;
      while (next < end && buffer[next] != '\n') {
        next++;
      }
      line.write(buffer, from, next - from);
      if (next < end) {
        next++;
        return withoutCarriageReturn(line.toByteArray());
      }
      if (line.size() > MAX_LINE_BYTES) {
        throw new IOException(
            "a line is longer than "
                + MAX_LINE_BYTES
                + " bytes; the input must be text, one sentence a line");
      }
    }
  }

  private static byte[] withoutCarriageReturn(byte[] line) {
    int last = line.length - 1;
    return last >= 0 && line[last] == '\r' ? Arrays.copyOf(line, last) : line;
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
