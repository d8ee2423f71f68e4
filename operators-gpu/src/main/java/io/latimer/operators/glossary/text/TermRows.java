package io.latimer.operators.glossary.text;

import io.latimer.operators.RecordException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Makes terms of the rows of a table. The first row is a header if it has the cells {@code source}
 * and {@code target}; without one there are these two columns, in this order.
 */
final class TermRows {
  private static final String SOURCE = "source";
  private static final String TARGET = "target";
  private static final String CASE = "case";
  private static final String RULE = "rule";
  private static final String NOTE = "note";
  private static final List<String> COLUMNS = List.of(SOURCE, TARGET, CASE, RULE, NOTE);

  private final TermSink sink;
  private Map<String, Integer> columns;
  private int width;

  TermRows(TermSink sink) {
    this.sink = sink;
  }

  /**
   * Takes a row; ignores one whose cells are all blank.
   *
   * @param separator between cells, for messages
   * @throws RecordException saying what is wrong with it
   */
  void add(List<String> cells, int line, String separator) {
    if (cells.stream().allMatch(String::isBlank)) {
      return;
    }
    if (columns == null && readHeader(cells)) {
      return;
    }
    int least = columns.get(TARGET) + 1;
    if (cells.size() < least || cells.size() > width) {
      throw new RecordException(
          "expected "
              + (least == width ? "" : least + " to ")
              + width
              + " columns separated by "
              + separator
              + ", found "
              + cells.size()
              + (width == 2 ? "; more need a header with " + String.join(", ", COLUMNS) : ""));
    }
    sink.add(
        TermCells.term(
            cell(cells, SOURCE), cell(cells, TARGET), cell(cells, CASE), cell(cells, RULE)),
        line);
  }

  private String cell(List<String> cells, String column) {
    int at = columns.getOrDefault(column, cells.size());
    return at < cells.size() ? cells.get(at) : "";
  }

  /** Finds out which columns there are; returns whether the row is a header. */
  private boolean readHeader(List<String> cells) {
    List<String> names = new ArrayList<>();
    cells.forEach(cell -> names.add(cell.strip().toLowerCase(Locale.ROOT)));
    boolean header = names.contains(SOURCE) && names.contains(TARGET);
    Map<String, Integer> found = new HashMap<>();
    List<String> read = header ? names : List.of(SOURCE, TARGET);
    for (int i = 0; i < read.size(); i++) {
      if (!COLUMNS.contains(read.get(i))) {
        throw new RecordException(
            "unknown column \"" + read.get(i) + "\"; known are " + String.join(", ", COLUMNS));
      }
      if (found.put(read.get(i), i) != null) {
        throw new RecordException("the column " + read.get(i) + " is there twice; remove one");
      }
    }
    columns = found;
    width = read.size();
    return header;
  }
}
