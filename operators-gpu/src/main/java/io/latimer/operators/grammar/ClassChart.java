package io.latimer.operators.grammar;

import java.util.Arrays;

/**
 * The chart of one sentence at a time: which class derives which words. The words that begin at
 * place i are a row: for each class, a bit for each end j of a string i..j-1 that the class
 * derives.
 *
 * <p>Rows are filled from the last to the first, and a row from its shortest string to its longest.
 * Once the cell of i..k-1 is known and has B, every rule A &rarr; B C adds the ends of row k where
 * C derives the rest, all at once: {@code row(i, A) |= row(k, C)}. What a set of parents has
 * already been given is remembered, so that the set is only visited for new ends. Not thread-safe.
 */
final class ClassChart {
  /** Bytes of a chart that is kept for the next sentence. */
  private static final long KEPT_BYTES = 64L << 20;

  private final ClassTables tables;
  private final int classes;
  private final int maskWords;

  /** Bits of ends at [(i * rowWords + word) * classes + class]; bit j - 1 for the end j. */
  private long[] rows = new long[0];

  /** Masks of classes that have a bit, at [(i * rowWords + word) * maskWords]. */
  private long[] present = new long[0];

  /** Ends that a set of parents has been given in the current row, [word * sets + set]. */
  private long[] given = new long[0];

  private final long[] cell;
  private final long[] above;
  private int words;
  private int rowWords;

  ClassChart(ClassTables tables) {
    this.tables = tables;
    this.classes = tables.classes;
    this.maskWords = tables.words;
    this.cell = new long[maskWords];
    this.above = new long[maskWords];
  }

  /** Bytes of the chart of a sentence. */
  static long bytes(ClassTables tables, int words) {
    long rowWords = (words + 63L) / 64;
    return 8 * rowWords * (words * ((long) tables.classes + tables.words) + tables.sets());
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
    present = cleared(present, words * rowWords * maskWords);
    given = cleared(given, 0);
    for (int i = words - 1; i >= 0; i--) {
      given = cleared(given, rowWords * tables.sets());
      for (int e = tables.firstEntry(terminals[i]); e < tables.firstEntry(terminals[i] + 1); e++) {
        rows[(i * rowWords + (i >> 6)) * classes + tables.entry(e)] |= 1L << i;
      }
      for (int k = i + 1; k <= words; k++) {
        finish(i, k);
        for (int word = k >> 6; k < words && word < rowWords; word++) {
          if (tables.pairSet != null) {
            combinePaired(i, k, word);
          } else {
            combine(i, k, word);
          }
        }
      }
    }
  }

  /** Releases a chart that is too large to be kept. */
  void trim() {
    if (8L * rows.length > KEPT_BYTES) {
      rows = new long[0];
      given = new long[0];
    }
  }

  private static long[] cleared(long[] array, int size) {
    if (array.length < size) {
      return new long[size];
    }
    Arrays.fill(array, 0, size, 0);
    return array;
  }

  /** Collects the classes of a cell, and adds their ancestors. */
  private void finish(int i, int k) {
    long[] ends = rows;
    int at = (i * rowWords + ((k - 1) >> 6)) * classes;
    int end = k - 1;
    for (int w = 0; w < maskWords; w++) {
      long mask = 0;
      int count = Math.min(64, classes - 64 * w);
      for (int c = 0; c < count; c++) {
        mask |= (ends[at + 64 * w + c] >>> end & 1) << c;
      }
      cell[w] = mask;
      above[w] = 0;
    }
    if (tables.upMasks != null) {
      addAncestorMasks();
    } else {
      addAncestors();
    }
    int presentAt = (i * rowWords + ((k - 1) >> 6)) * maskWords;
    for (int w = 0; w < maskWords; w++) {
      for (long left = above[w] & ~cell[w]; left != 0; left &= left - 1) {
        ends[at + (w << 6) + Long.numberOfTrailingZeros(left)] |= 1L << end;
      }
      cell[w] |= above[w];
      present[presentAt + w] |= cell[w];
    }
  }

  private void addAncestorMasks() {
    long[] masks = tables.upMasks;
    for (int w = 0; w < maskWords; w++) {
      for (long left = cell[w]; left != 0; left &= left - 1) {
        int at = ((w << 6) + Long.numberOfTrailingZeros(left)) * maskWords;
        for (int v = w; v < maskWords; v++) { // ancestors have higher numbers
          above[v] |= masks[at + v];
        }
      }
    }
  }

  private void addAncestors() {
    for (int w = 0; w < maskWords; w++) {
      for (long left = cell[w]; left != 0; left &= left - 1) {
        int c = (w << 6) + Long.numberOfTrailingZeros(left);
        for (int a = tables.ancestorStarts[c]; a < tables.ancestorStarts[c + 1]; a++) {
          int ancestor = tables.ancestors[a];
          above[ancestor >> 6] |= 1L << ancestor;
        }
      }
    }
  }

  /** Applies the rules whose left side is in the cell, by masks of what follows it. */
  private void combinePaired(int i, int k, int word) {
    long[] ends = rows;
    long[] done = given;
    long[] masks = tables.rightMasks;
    char[] pairSet = tables.pairSet;
    int[] setStarts = tables.setStarts;
    int[] members = tables.setMembers;
    int to = (i * rowWords + word) * classes;
    int from = (k * rowWords + word) * classes;
    int presentAt = (k * rowWords + word) * maskWords;
    int doneAt = word * tables.sets();
    for (int w = 0; w < maskWords; w++) {
      for (long lefts = cell[w] & tables.leftMask[w]; lefts != 0; lefts &= lefts - 1) {
        int left = (w << 6) + Long.numberOfTrailingZeros(lefts);
        for (int v = 0; v < maskWords; v++) {
          long rights = masks[left * maskWords + v] & present[presentAt + v];
          for (; rights != 0; rights &= rights - 1) {
            int right = (v << 6) + Long.numberOfTrailingZeros(rights);
            int set = pairSet[left * classes + right];
            long added = ends[from + right] & ~done[doneAt + set];
            if (added != 0) {
              done[doneAt + set] |= added;
              int last = setStarts[set + 1];
              for (int m = setStarts[set]; m < last; m++) {
                ends[to + members[m]] |= added;
              }
            }
          }
        }
      }
    }
  }

  /** The same for many classes: goes through all that can follow the left side. */
  private void combine(int i, int k, int word) {
    long[] ends = rows;
    long[] done = given;
    int[] sideRight = tables.sideRight;
    int[] sideSet = tables.sideSet;
    int[] setStarts = tables.setStarts;
    int[] members = tables.setMembers;
    int to = (i * rowWords + word) * classes;
    int from = (k * rowWords + word) * classes;
    int doneAt = word * tables.sets();
    for (int w = 0; w < maskWords; w++) {
      for (long lefts = cell[w] & tables.leftMask[w]; lefts != 0; lefts &= lefts - 1) {
        int left = (w << 6) + Long.numberOfTrailingZeros(lefts);
        int last = tables.sideStarts[left + 1];
        for (int side = tables.sideStarts[left]; side < last; side++) {
          int set = sideSet[side];
          long added = ends[from + sideRight[side]] & ~done[doneAt + set];
          if (added != 0) {
            done[doneAt + set] |= added;
            int end = setStarts[set + 1];
            for (int m = setStarts[set]; m < end; m++) {
              ends[to + members[m]] |= added;
            }
          }
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
