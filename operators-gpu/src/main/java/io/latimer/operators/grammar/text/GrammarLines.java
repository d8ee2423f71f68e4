package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import io.latimer.operators.util.PackedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The lines of a grammar's text file, UTF-8, plain or gzip, one at a time. */
final class GrammarLines implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final int LONGEST_LINE = 1 << 20;

  private final Path file;
  private final BufferedReader in;
  private final StringBuilder line = new StringBuilder();
  private long number;

  /**
   * Opens a file.
   *
   * @throws GrammarFormatException if it cannot be read
   */
  GrammarLines(Path file) {
    this.file = file;
    try {
      this.in =
          new BufferedReader(
              new InputStreamReader(
                  PackedFile.open(file, BUFFER),
                  StandardCharsets.UTF_8
                      .newDecoder()
                      .onMalformedInput(CodingErrorAction.REPORT)
                      .onUnmappableCharacter(CodingErrorAction.REPORT)),
              BUFFER);
    } catch (IOException e) {
      throw GrammarSource.unreadable(file, e);
    }
  }

  /**
   * Reads the next line.
   *
   * @return the line without its line feed and a carriage return before it; null at the end
   * @throws GrammarFormatException if it cannot be read, is not UTF-8 or too long
   */
  String next() {
    line.setLength(0);
    try {
      int c = in.read();
      if (c < 0) {
        return null;
      }
      number++;
      for (; c >= 0 && c != '\n'; c = in.read()) {
        if (line.length() == LONGEST_LINE) {
          throw error("the line has more than " + LONGEST_LINE + " characters");
        }
        line.append((char) c);
      }
    } catch (CharacterCodingException e) {
      throw new GrammarFormatException(
          file + ": not UTF-8, at line " + (number + 1) + " or a little later; convert it", e);
    } catch (IOException e) {
      throw GrammarSource.unreadable(file, e);
    }
    int length = line.length();
    if (length > 0 && line.charAt(length - 1) == '\r') {
      line.setLength(length - 1);
    }
    return line.toString();
  }

  /** An error in the current line. */
  GrammarFormatException error(String what) {
    return new GrammarFormatException(file + " line " + number + ": " + what);
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw GrammarSource.unreadable(file, e);
    }
  }
}
