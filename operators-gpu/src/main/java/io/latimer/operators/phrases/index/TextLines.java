package io.latimer.operators.phrases.index;

import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.PackedFile;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;

/** The lines of a text file, plain or gzip, one at a time. */
public final class TextLines implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  static final int LONGEST_LINE = 1 << 26;

  private final Path file;
  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER];
  private int at;
  private int limit;
  private byte[] line = new byte[1 << 10];
  private int length;
  private boolean tooLong;
  private long number;
  private long bytesRead;

  /** Opens a file. */
  public TextLines(Path file) {
    this.file = file;
    try {
      this.in = PackedFile.open(file, BUFFER);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * Reads the next line, without its line feed and a carriage return before it.
   *
   * @return false at the end of the file
   */
  public boolean next() {
    length = 0;
    tooLong = false;
    boolean any = false;
    while (true) {
      if (at == limit && !fill()) {
        if (any) {
          number++;
        }
        return any;
      }
      any = true;
      int end = at;
      while (end < limit && buffer[end] != '\n') {
        end++;
      }
      append(end);
      if (end < limit) {
        at = end + 1;
        number++;
        if (length > 0 && line[length - 1] == '\r') {
          length--;
        }
        return true;
      }
      at = end;
    }
  }

  private boolean fill() {
    try {
      at = 0;
      limit = Math.max(0, in.read(buffer));
    } catch (IOException e) {
      throw unreadable(e);
    }
    bytesRead += limit;
    return limit > 0;
  }

  private void append(int end) {
    int more = end - at;
    tooLong |= more > LONGEST_LINE - length;
    if (tooLong) {
      return;
    }
    if (length + more > line.length) {
      line = Arrays.copyOf(line, Math.max(length + more, 2 * line.length));
    }
    System.arraycopy(buffer, at, line, length, more);
    length += more;
  }

  /** The bytes of the line, from 0 to {@link #length}; reused by the next. */
  public byte[] bytes() {
    return line;
  }

  /** Length of the line in bytes. */
  public int length() {
    return length;
  }

  /** Number of the line, from 1; 0 before the first. */
  public long number() {
    return number;
  }

  /** Bytes of text read so far, unpacked. */
  public long bytesRead() {
    return bytesRead;
  }

  /** Says that the line has too many bytes, the rest of which is skipped; null if it has not. */
  public String tooLong() {
    return tooLong
        ? where() + " has more than " + LONGEST_LINE + " bytes; split the sentence"
        : null;
  }

  /** Says where the line is not UTF-8; null if it is. */
  public String notUtf8() {
    int error = Utf8.firstError(line, length);
    return error < 0
        ? null
        : where() + " byte " + (error + 1) + " is not UTF-8; convert the file to UTF-8";
  }

  /** Says where the line is, to begin a message. */
  public String where() {
    return file + " line " + number;
  }

  public Path file() {
    return file;
  }

  private PhraseTextException unreadable(IOException e) {
    return new PhraseTextException(file + " cannot be read: " + FileErrors.reason(e), e);
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }
}
