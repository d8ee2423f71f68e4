package io.latimer.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads UTF-8 lines that end with LF or CR LF. What is not UTF-8 or too long is a line with a
 * problem and not an error: the lines after it are read.
 */
final class LineReader {
  /** Longest line in bytes. */
  static final int MAX_BYTES = 1 << 20;

  private final InputStream in;
  private byte[] line = new byte[1 << 10];
  private long number;

  LineReader(InputStream in) {
    this.in = new BufferedInputStream(in, 1 << 16);
  }

  /** The next line, or null at the end of the input. */
  InputLine next() throws IOException {
    int length = 0;
    long bytes = 0;
    int b;
    while ((b = in.read()) >= 0) {
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
      length++;
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

  private InputLine problem(String reason, long bytes) {
    return new InputLine(number, "", Optional.of(reason), bytes);
  }
}
