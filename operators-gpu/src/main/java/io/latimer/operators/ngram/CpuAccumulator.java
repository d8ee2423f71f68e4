package io.latimer.operators.ngram;

import java.util.Arrays;

/**
 * The counts of one thread.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
abstract class CpuAccumulator<T> {
  final int order;

  private CpuAccumulator(int order) {
    this.order = order;
  }

  static CpuAccumulator<byte[]> ofBytes(int order) {
    return order <= Histogram.MAX_ORDER ? new Histogram(order) : new Bytes(order);
  }

  static CpuAccumulator<int[]> ofWords(int order) {
    return new Words(order);
  }

  abstract int length(T text);

  /** Counts the n-grams that start at [from, to) of a text. */
  abstract void add(T text, int from, int to);

  /** Takes over the counts of another accumulator and leaves that empty. */
  abstract void take(CpuAccumulator<T> other);

  abstract NgramCounts sorted();

  abstract void clear();

  private static final class Histogram extends CpuAccumulator<byte[]> {
    static final int MAX_ORDER = 2;

    private final long[] counts;

    Histogram(int order) {
      super(order);
      this.counts = new long[1 << (8 * order)];
    }

    @Override
    int length(byte[] text) {
      return text.length;
    }

    @Override
    void add(byte[] text, int from, int to) {
      if (order == 1) {
        for (int p = from; p < to; p++) {
          counts[text[p] & 0xff]++;
        }
      } else {
        for (int p = from; p < to; p++) {
          counts[((text[p] & 0xff) << 8) | (text[p + 1] & 0xff)]++;
        }
      }
    }

    @Override
    void take(CpuAccumulator<byte[]> other) {
      long[] theirs = ((Histogram) other).counts;
      for (int i = 0; i < counts.length; i++) {
        counts[i] = Math.addExact(counts[i], theirs[i]);
      }
      other.clear();
    }

    @Override
    NgramCounts sorted() {
      int size = 0;
      for (long count : counts) {
        size += count == 0 ? 0 : 1;
      }
      long[] keys = new long[size];
      long[] listed = new long[size];
      int at = 0;
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] != 0) {
          keys[at] = i;
          listed[at++] = counts[i];
        }
      }
      return NgramCounts.ofBytes(order, keys, listed);
    }

    @Override
    void clear() {
      Arrays.fill(counts, 0);
    }
  }

  private static final class Bytes extends CpuAccumulator<byte[]> {
    private LongTable table = new LongTable();

    Bytes(int order) {
      super(order);
    }

    @Override
    int length(byte[] text) {
      return text.length;
    }

    @Override
    void add(byte[] text, int from, int to) {
      long mask = order == 8 ? -1L : (1L << (8 * order)) - 1;
      long key = 0;
      for (int p = from; p < from + order - 1; p++) {
        key = (key << 8) | (text[p] & 0xff);
      }
      for (int p = from; p < to; p++) {
        key = ((key << 8) | (text[p + order - 1] & 0xff)) & mask;
        table.add(key, 1);
      }
    }

    @Override
    void take(CpuAccumulator<byte[]> other) {
      table.addAll(((Bytes) other).table);
      other.clear();
    }

    @Override
    NgramCounts sorted() {
      return table.sorted(order);
    }

    @Override
    void clear() {
      table = new LongTable();
    }
  }

  private static final class Words extends CpuAccumulator<int[]> {
    private TupleTable table;

    Words(int order) {
      super(order);
      this.table = new TupleTable(order);
    }

    @Override
    int length(int[] text) {
      return text.length;
    }

    @Override
    void add(int[] text, int from, int to) {
      for (int p = from; p < to; p++) {
        table.add(text, p, 1);
      }
    }

    @Override
    void take(CpuAccumulator<int[]> other) {
      table.addAll(((Words) other).table);
      other.clear();
    }

    @Override
    NgramCounts sorted() {
      return table.sorted();
    }

    @Override
    void clear() {
      table = new TupleTable(order);
    }
  }
}
