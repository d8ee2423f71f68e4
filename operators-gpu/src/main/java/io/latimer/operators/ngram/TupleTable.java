package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import java.util.Arrays;

/** An open-addressing table of word n-grams and counts; a count of 0 marks a free slot. */
final class TupleTable {
  private static final int SMALLEST = 1 << 10;

  private final int order;
  private int[] words;
  private long[] counts;
  private int size;

  TupleTable(int order) {
    this.order = order;
    this.words = new int[SMALLEST * order];
    this.counts = new long[SMALLEST];
  }

  /** Adds to the n-gram that starts at a position of a text. */
  void add(int[] text, int from, long count) {
    int at = find(text, from);
    if (counts[at] == 0) {
      if (size >= counts.length / 8 * 5) {
        grow();
        at = find(text, from);
      }
      System.arraycopy(text, from, words, at * order, order);
      size++;
    }
    counts[at] = Math.addExact(counts[at], count);
  }

  void addAll(TupleTable other) {
    for (int i = 0; i < other.counts.length; i++) {
      if (other.counts[i] != 0) {
        add(other.words, i * order, other.counts[i]);
      }
    }
  }

  private int find(int[] text, int from) {
    long mixed = 0;
    for (int k = 0; k < order; k++) {
      mixed = (mixed ^ text[from + k]) * LongTable.FACTOR;
      mixed ^= mixed >>> 29;
    }
    int mask = counts.length - 1;
    int at = (int) ((mixed * 0xd6e8feb86659fd93L) >>> 33) & mask;
    while (counts[at] != 0
        && !Arrays.equals(words, at * order, (at + 1) * order, text, from, from + order)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void grow() {
    if ((long) counts.length * 2 * order > Integer.MAX_VALUE - 8) {
      throw new OperatorException(
          "more than " + size + " different " + order + "-grams of words do not fit into a table");
    }
    int[] oldWords = words;
    long[] oldCounts = counts;
    words = new int[oldWords.length * 2];
    counts = new long[oldCounts.length * 2];
    for (int i = 0; i < oldCounts.length; i++) {
      if (oldCounts[i] != 0) {
        int at = find(oldWords, i * order);
        System.arraycopy(oldWords, i * order, words, at * order, order);
        counts[at] = oldCounts[i];
      }
    }
  }

  /** The table sorted by n-gram. */
  NgramCounts sorted() {
    Integer[] places = new Integer[size];
    int at = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] != 0) {
        places[at++] = i;
      }
    }
    Arrays.parallelSort(
        places,
        (a, b) ->
            Arrays.compare(words, a * order, (a + 1) * order, words, b * order, (b + 1) * order));
    int[] sortedWords = new int[size * order];
    long[] sortedCounts = new long[size];
    for (int i = 0; i < size; i++) {
      System.arraycopy(words, places[i] * order, sortedWords, i * order, order);
      sortedCounts[i] = counts[places[i]];
    }
    return NgramCounts.ofWords(order, sortedWords, sortedCounts);
  }
}
