package io.latimer.operators.glossary.text;

import io.latimer.operators.RecordException;
import io.latimer.operators.util.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The rows of a TSV or CSV file in UTF-8. Lines end with LF or CR LF. */
final class TextRows {
  /** Maximum length of a row in bytes. */
  static final int MAX_BYTES = 1 << 16;

  private static final int BYTE_ORDER_MARK = 0xFEFF;

  private final InputStream in;
  private final boolean csv;
  private byte[] bytes = new byte[256];
  private int line;
  private int rowLine;

  /**
   * Reads rows.
   *
   * @param in buffered
   * @param csv whether it is CSV, else TSV
   */
  TextRows(InputStream in, boolean csv) {
    this.in = in;
    this.csv = csv;
  }

  /** The line where the last row began, from 1. */
  int line() {
    return rowLine;
  }

  /**
   * The cells of the next row; null at the end.
   *
   * @throws RecordException saying what is wrong with it
   */
  List<String> next() throws IOException {
    rowLine = line + 1;
    String text = nextLine();
    if (text == null) {
      return null;
    }
    if (!csv) {
      return List.of(text.split("\t", -1));
    }
    CsvRow row = new CsvRow();
    while (!row.add(text)) {
      text = nextLine();
      if (text == null) {
        throw new RecordException("a quotation mark is not closed before the end of the file");
      }
      if (row.length() + text.length() > MAX_BYTES) {
        throw tooLong();
      }
    }
    return row.cells();
  }

  /** The next line without its end; null at the end of the file. */
  private String nextLine() throws IOException {
    line++;
    int length = 0;
    int b = in.read();
    if (b < 0) {
      return null;
    }
    for (; b >= 0 && b != '\n'; b = in.read()) {
      if (length == MAX_BYTES) {
        throw tooLong();
      }
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * length);
      }
      bytes[length++] = (byte) b;
    }
    length -= length > 0 && bytes[length - 1] == '\r' ? 1 : 0;
    String text = Utf8.decode(ByteBuffer.wrap(bytes, 0, length));
    if (text == null) {
      throw new RecordException(
          "byte "
              + (Utf8.firstError(bytes, length) + 1)
              + " is not UTF-8; convert the file, for example with iconv");
    }
    return line == 1 && !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK
        ? text.substring(1)
        : text;
  }

  private static RecordException tooLong() {
    return new RecordException("it has more than " + MAX_BYTES + " bytes; no term is that long");
  }

  /** The cells of a row of CSV, whose quoted cells may go on over several lines (RFC 4180). */
  private static final class CsvRow {
    private final List<String> cells = new ArrayList<>();
    private final StringBuilder cell = new StringBuilder();
    private boolean quoted; // inside quotation marks
    private boolean closed; // behind the second one
    private int length;

    /** Adds a line; returns whether the row ends with it. */
    boolean add(String text) {
      length += text.length();
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (quoted) {
          if (c != '"') {
            cell.append(c);
          } else if (i + 1 < text.length() && text.charAt(i + 1) == '"') {
            cell.append(c);
            i++;
          } else {
            quoted = false;
            closed = true;
          }
        } else if (c == ',') {
          endCell();
        } else if (closed) {
          throw new RecordException(
              "a quoted cell is followed by \"" + c + "\"; write a quotation mark in it twice");
        } else if (c == '"') {
          if (cell.length() > 0) {
            throw new RecordException(
                "a quotation mark inside a cell; quote the whole cell and write the mark twice");
          }
          quoted = true;
        } else {
          cell.append(c);
        }
      }
      if (quoted) {
        cell.append('\n');
        return false;
      }
      endCell();
      return true;
    }

    private void endCell() {
      cells.add(cell.toString());
      cell.setLength(0);
      closed = false;
    }

    int length() {
      return length;
    }

    List<String> cells() {
      return cells;
    }
  }
}
