package io.latimer.operators.grammar;

import java.util.Arrays;

/**
 * The chart of one sentence at a time: which class derives which words. The words that begin at
 * place i are a row: for each class, a bit for each end j of a string i..j-1 that the class
 * derives.
 *
 * <p>Rows are filled from the last to the first, and a row from its shortest string to its longest.
 * Once the cell of i..k-1 is known and has B, every rule A &rarr; B C adds the ends of row k where
 * C derives the rest, all at once: {@code row(i, A) |= row(k, C)}. All such B of a cell are taken
 * together, by C, as {@link CellRules} has them. What has been done is remembered at two levels, so
 * that only new ends are visited: for each C after cells like this one, and for each set of
 * parents. Not thread-safe.
 */
final class ClassChart {
  /** Maximum bytes of a chart that is kept for the next sentence. */
  private static final long KEPT_BYTES = 64L << 20;

  /** Different cells of a row that {@link #given} has room for. */
  private static final int CELLS = 16;

  private final ClassTables tables;
  private final int classes;
  private final CellRulesCache cache;

  /** Mask of the classes of a cell. */
  private final long[] cell;

  /** Bits of ends at [(i * rowWords + word) * classes + class]; bit j - 1 for the end j. */
  private long[] rows = new long[0];

  /**
   * Ends of each right class that rules have been applied to in the current row, at [rules.given +
   * word * rules.rights.length + right].
   */
  private long[] given = new long[0];

  private int givenSize;

  /** Ends that a set of parents has been given in the current row, at [word * sets + set]. */
  private long[] givenSets = new long[0];

  /** The number of the current row, over all sentences. */
  private long row;

  private int words;
  private int rowWords;

  ClassChart(ClassTables tables) {
    this.tables = tables;
    this.classes = tables.classes;
    this.cell = new long[tables.words];
    this.cache = new CellRulesCache(tables);
  }

  /** Bytes of the chart of a sentence. */
  static long bytes(ClassTables tables, int words) {
    long rowWords = (words + 63L) / 64;
    return 8 * rowWords * ((words + CELLS) * (long) tables.classes + tables.sets());
  }

  /**
   * Fills the chart.
   *
   * @param terminals of the sentence, one or more
   */
  void fill(int[] terminals) {
    words = terminals.length;
    rowWords = (words + 63) / 64;
    rows = cleared(rows, words * rowWords * classes);
    if (given.length < CELLS * rowWords * classes) {
      given = new long[CELLS * rowWords * classes];
    }
    for (int i = words - 1; i >= 0; i--) {
      givenSets = cleared(givenSets, rowWords * tables.sets());
      startGiven();
      enter(i, terminals[i]);
      combine(i, i + 1);
      for (int k = i + 2; k <= words; k++) {
        collect(i, k);
        combine(i, k);
      }
    }
  }

  /** Releases a chart that is too large to be kept. */
  void trim() {
    if (8L * rows.length > KEPT_BYTES) {
      rows = new long[0];
      given = new long[0];
      givenSets = new long[0];
    }
  }

  private static long[] cleared(long[] array, int size) {
    if (array.length < size) {
      return new long[size];
    }
    Arrays.fill(array, 0, size, 0);
    return array;
  }

  private void startGiven() {
    row++;
    givenSize = 0;
  }

  /** Puts the classes of a terminal in the cell of one word. */
  private void enter(int i, int terminal) {
    Arrays.fill(cell, 0);
    for (int e = tables.firstEntry(terminal); e < tables.firstEntry(terminal + 1); e++) {
      int c = tables.entry(e);
      cell[c >> 6] |= 1L << c;
      rows[(i * rowWords + (i >> 6)) * classes + c] |= 1L << i;
    }
  }

  /** Collects the classes that rules have put in a cell of more words. */
  private void collect(int i, int k) {
    long[] ends = rows;
    char[] parents = tables.parents;
    int at = (i * rowWords + ((k - 1) >> 6)) * classes;
    int end = k - 1;
    int p = 0;
    for (int w = 0; w < cell.length; w++) {
      long mask = 0;
      for (int last = tables.parentEnds[w]; p < last; p++) {
        int c = parents[p];
        mask |= (ends[at + c] >>> end & 1) << c;
      }
      cell[w] = mask;
    }
  }

  /** Adds the ancestors of a cell, and applies the rules whose left side is in it. */
  private void combine(int i, int k) {
    CellRules rules = cache.of(cell);
    int at = (i * rowWords + ((k - 1) >> 6)) * classes;
    for (char ancestor : rules.ancestors) {
      rows[at + ancestor] |= 1L << (k - 1);
    }
    int rights = rules.rights.length;
    if (rules.row != row) {
      int size = rights * rowWords;
      if (size > given.length - givenSize) {
        startGiven();
      }
      rules.row = row;
      rules.given = givenSize;
      Arrays.fill(given, givenSize, givenSize + size, 0);
      givenSize += size;
    }
    for (int word = k >> 6; k < words && word < rowWords; word++) {
      combine(rules, i, k, word);
    }
  }

  private void combine(CellRules rules, int i, int k, int word) {
    long[] ends = rows;
    long[] done = given;
    char[] rights = rules.rights;
    int[] starts = rules.starts;
    int to = (i * rowWords + word) * classes;
    int from = (k * rowWords + word) * classes;
    int doneAt = rules.given + word * rights.length;
    int setsAt = word * tables.sets();
    for (int r = 0; r < rights.length; r++) {
      long added = ends[from + rights[r]] & ~done[doneAt + r];
      if (added != 0) {
        done[doneAt + r] |= added;
        give(added, rules.sets, starts[r], starts[r + 1], setsAt, to);
      }
    }
  }

  /** Adds ends to the parents of some sets. */
  private void give(long added, int[] sets, int first, int last, int setsAt, int to) {
    long[] ends = rows;
    long[] done = givenSets;
    int[] setStarts = tables.setStarts;
    int[] members = tables.setMembers;
    for (int s = first; s < last; s++) {
      int set = sets[s];
      long left = added & ~done[setsAt + set];
      if (left != 0) {
        done[setsAt + set] |= left;
        int end = setStarts[set + 1];
        for (int m = setStarts[set]; m < end; m++) {
          ends[to + members[m]] |= left;
        }
      }
    }
  }

  /** Whether a class derives the words from, from + 1, ..., to - 1. */
  boolean has(int from, int to, int c) {
    return (rows[(from * rowWords + ((to - 1) >> 6)) * classes + c] >>> (to - 1) & 1) != 0;
  }

  /** The number of words of the sentence. */
  int words() {
    return words;
  }
}
