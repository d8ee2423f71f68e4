package io.latimer.operators.grammar;

import java.util.Arrays;

/**
 * What the classes found in a cell imply: their ancestors, and the rules whose left class is in the
 * cell, grouped by right class. Also tracks where they were applied in the current row of a chart.
 */
final class CellRules {
  /** Mask of the classes found. */
  final long[] found;

  /** The ancestors of the classes found that are not among them. */
  final char[] ancestors;

  /** The classes that can follow the cell, each once. */
  final char[] rights;

  /** Start of each right class's sets of parents, and the end of the last. */
  final int[] starts;

  /** The sets of parents, each once for a right class. */
  final int[] sets;

  /** The number of the row for which {@link #given} holds; 0 for none. */
  long row;

  /** Where the chart keeps, for each right class, the ends that the rules have been applied to. */
  int given;

  /**
   * Finds the ancestors and rules.
   *
   * @param found is copied
   */
  CellRules(ClassTables tables, long[] found) {
    this.found = found.clone();
    long[] added = tables.ancestors(found);
    ancestors = classes(added);
    for (int w = 0; w < added.length; w++) {
      added[w] |= found[w];
    }
    char[] lefts = classes(added);
    int classes = tables.classes;
    int[] from = new int[classes + 1];
    for (char left : lefts) {
      for (int side = tables.sideStarts[left]; side < tables.sideStarts[left + 1]; side++) {
        from[tables.sideRight[side] + 1]++;
      }
    }
    for (int c = 0; c < classes; c++) {
      from[c + 1] += from[c];
    }
    int[] next = from.clone();
    int[] byRight = new int[from[classes]];
    for (char left : lefts) {
      for (int side = tables.sideStarts[left]; side < tables.sideStarts[left + 1]; side++) {
        byRight[next[tables.sideRight[side]]++] = tables.sideSet[side];
      }
    }
    char[] following = new char[classes];
    int[] ends = new int[classes + 1];
    int[] lastRight = new int[tables.sets()];
    int count = 0;
    int kept = 0;
    for (int c = 0; c < classes; c++) {
      for (int s = from[c]; s < from[c + 1]; s++) {
        if (lastRight[byRight[s]] != c + 1) {
          lastRight[byRight[s]] = c + 1;
          byRight[kept++] = byRight[s];
        }
      }
      if (from[c] < from[c + 1]) {
        following[count++] = (char) c;
        ends[count] = kept;
      }
    }
    rights = Arrays.copyOf(following, count);
    starts = Arrays.copyOf(ends, count + 1);
    sets = Arrays.copyOf(byRight, kept);
  }

  /** Bytes, without the headers of objects. */
  long bytes() {
    return 8L * found.length
        + 2L * (ancestors.length + rights.length)
        + 4L * (starts.length + sets.length);
  }

  private static char[] classes(long[] mask) {
    int size = 0;
    for (long word : mask) {
      size += Long.bitCount(word);
    }
    char[] classes = new char[size];
    int count = 0;
    for (int w = 0; w < mask.length; w++) {
      for (long left = mask[w]; left != 0; left &= left - 1) {
        classes[count++] = (char) ((w << 6) + Long.numberOfTrailingZeros(left));
      }
    }
    return classes;
  }
}
