package io.latimer.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads UTF-8 lines that end with LF or CR LF. Lines with invalid UTF-8 or of excessive length are
 * returned with a problem, and reading continues.
 */
public final class LineReader {
  /** Maximum length of a line in bytes. */
  public static final int MAX_BYTES = 1 << 20;

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private int position;
  private int limit;
  private byte[] line = new byte[1 << 10];
  private long number;

  public LineReader(InputStream in) {
    this.in = in;
  }

  /** The next line, or null at the end of the input. */
  public InputLine next() throws IOException {
    int length = 0;
    long bytes = 0;
    int b;
    while ((b = read()) >= 0) {
      bytes++;
      if (b == '\n') {
        break;
      }
      if (length < MAX_BYTES) {
        if (length == line.length) {
          line = Arrays.copyOf(line, 2 * length);
        }
        line[length] = (byte) b;
      }
      length = Math.min(length + 1, MAX_BYTES + 1); // a line's length may exceed an int
    }
    if (bytes == 0) {
      return null;
    }
    number++;
    if (length > MAX_BYTES) {
      return problem("it has more than " + MAX_BYTES + " bytes; break it into sentences", bytes);
    }
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(line, 0, length))
              .toString();
      return new InputLine(number, text, Optional.empty(), bytes);
    } catch (CharacterCodingException e) {
      return problem("it is not UTF-8; convert the input, for example with iconv", bytes);
    }
  }

  private int read() throws IOException {
    if (position == limit) {
      position = 0;
      limit = Math.max(0, in.read(buffer));
      if (limit == 0) {
        return -1;
      }
    }
    return buffer[position++] & 0xff;
  }

  private InputLine problem(String reason, long bytes) {
    return new InputLine(number, "", Optional.of(reason), bytes);
  }
}
