package io.latimer.cli.demo;

import io.latimer.cli.terminal.TextWidth;
import java.util.List;

/**
 * The output format of a source and its translation: two columns on a terminal, tab-separated
 * otherwise.
 *
 * @param columns width of the terminal; 0 if there is none
 */
record PairFormat(int columns) {
  private static final String GAP = "  →  ";
  private static final int SMALLEST = 24;

  /** One or more lines, including line ends. */
  String pair(String source, String translation) {
    if (columns == 0) {
      return TextWidth.plain(source) + "\t" + TextWidth.plain(translation) + "\n";
    }
    int half = (columns - 1 - TextWidth.of(GAP)) / 2;
    StringBuilder lines = new StringBuilder();
    if (half < SMALLEST) { // one below the other
      for (String line : TextWidth.wrap(source, Math.max(2, columns - 1))) {
        lines.append(line).append('\n');
      }
      for (String line : TextWidth.wrap(translation, Math.max(2, columns - 4))) {
        lines.append("→ ").append(line).append('\n');
      }
      return lines.toString();
    }
    List<String> left = TextWidth.wrap(source, half);
    List<String> right = TextWidth.wrap(translation, half);
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      String line =
          TextWidth.pad(i < left.size() ? left.get(i) : "", half)
              + (i == 0 ? GAP : " ".repeat(TextWidth.of(GAP)))
              + (i < right.size() ? right.get(i) : "");
      lines.append(line.stripTrailing()).append('\n');
    }
    return lines.toString();
  }
}
