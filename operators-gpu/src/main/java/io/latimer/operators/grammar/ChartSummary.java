package io.latimer.operators.grammar;

import io.latimer.operators.index.WordTable;
import java.util.Locale;

/**
 * A whole chart in two numbers, to compare recognizers. Its entries (i, j, A) say that variable A
 * derives the words i to j - 1 of a sentence.
 *
 * @param bits the number of entries
 * @param hash FNV-1a, 64 bits, over i, j and A of each as little-endian u32, by j - i, then i, then
 *     A; unsigned
 */
public record ChartSummary(long bits, long hash) {
  /** The summary of the chart of an empty sentence. */
  static final ChartSummary EMPTY = new ChartSummary(0, WordTable.FNV_BASIS);

  /** The hash as 16 hexadecimal digits. */
  public String hashText() {
    return String.format(Locale.ROOT, "%016x", hash);
  }

  /** The entries of a chart by classes. */
  @FunctionalInterface
  interface Cells {
    /** Whether a class derives the words from, from + 1, ..., to - 1. */
    boolean has(int from, int to, int c);
  }

  /**
   * Summarizes a chart.
   *
   * @param words of the sentence
   * @param classOf the class of each variable
   */
  static ChartSummary of(int words, int[] classOf, Cells cells) {
    long bits = 0;
    long hash = WordTable.FNV_BASIS;
    for (int length = 1; length <= words; length++) {
      for (int i = 0; i + length <= words; i++) {
        for (int v = 0; v < classOf.length; v++) {
          if (cells.has(i, i + length, classOf[v])) {
            bits++;
            hash = add(add(add(hash, i), i + length), v);
          }
        }
      }
    }
    return new ChartSummary(bits, hash);
  }

  private static long add(long hash, int number) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = WordTable.hashNext(hash, (byte) (number >>> shift));
    }
    return hash;
  }
}
