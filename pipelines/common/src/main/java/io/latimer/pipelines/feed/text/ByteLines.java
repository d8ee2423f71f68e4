package io.latimer.pipelines.feed.text;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The lines of a stream as bytes, without their line ends ({@code \n} or {@code \r\n}). They stay
 * bytes, because a line that is not UTF-8 must reach the dead letters unchanged.
 */
public final class ByteLines implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream stream;
  private final int keptBytes;
  private final boolean carriageReturns;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int next;
  private int end;
  private long consumed;
  private boolean complete;

  /** Whether the last line ended with a carriage return whose line feed may still follow. */
  private boolean afterCarriageReturn;

  // the current line
  private ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean any;
  private boolean whole;

  /**
   * Reads lines.
   *
   * @param stream closed with this
   * @param keptBytes maximum number of bytes kept of a line; the rest is skipped, which bounds the
   *     memory
   */
  public ByteLines(InputStream stream, int keptBytes) {
    this(stream, keptBytes, false);
  }

  /**
   * Reads lines.
   *
   * @param carriageReturns whether a carriage return alone also ends a line
   */
  public ByteLines(InputStream stream, int keptBytes, boolean carriageReturns) {
    this.stream = stream;
    this.keptBytes = keptBytes;
    this.carriageReturns = carriageReturns;
  }

  /**
   * Reads the next line.
   *
   * @return null at the end of the stream
   * @throws IOException if the stream cannot be read
   */
  public byte[] read() throws IOException {
    line = new ByteArrayOutputStream();
    any = false;
    whole = true;
    complete = false;
    return goOn();
  }

  /**
   * Continues the last line, which had no line end, because the stream may have more by now.
   *
   * @return all of the line that is available; null if it still has no bytes
   * @throws IOException if the stream cannot be read
   */
  public byte[] goOn() throws IOException {
    while (true) {
      if (next == end) {
        end = Math.max(0, stream.read(buffer));
        next = 0;
        if (end == 0) {
          return any ? line.toByteArray() : null;
        }
      }
      if (afterCarriageReturn) {
        skipLineFeed();
        continue;
      }
      any = true;
      int from = next;
      while (next < end && !isEnd(buffer[next])) {
        next++;
      }
      consumed += next - from;
      int kept = Math.min(next - from, keptBytes - line.size());
      whole &= kept == next - from;
      line.write(buffer, from, kept);
      if (next < end) {
        afterCarriageReturn = buffer[next] == '\r';
        next++;
        consumed++;
        if (afterCarriageReturn && next < end) {
          skipLineFeed(); // the position after the line is after both
        }
        complete = true;
        return whole ? withoutCarriageReturn(line.toByteArray()) : line.toByteArray();
      }
    }
  }

  private boolean isEnd(byte b) {
    return b == '\n' || (b == '\r' && carriageReturns);
  }

  private void skipLineFeed() {
    afterCarriageReturn = false;
    if (buffer[next] == '\n') {
      next++;
      consumed++;
    }
  }

  /** Number of bytes of the stream in the lines that were read, line ends included. */
  public long consumed() {
    return consumed;
  }

  /** Whether the last line that was read had a line end. */
  public boolean complete() {
    return complete;
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
