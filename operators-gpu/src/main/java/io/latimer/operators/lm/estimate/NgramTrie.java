package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.Team;
import java.util.List;
import java.util.function.LongFunction;

/**
 * All n-grams of a text, of all orders, with their adjusted counts, as a trie of the reversed
 * words: the children of an n-gram are the n-grams that end in it. The n-grams of an order are
 * stored in suffix order, so an n-gram is identified by its index.
 *
 * <p>The adjusted count of an n-gram is the number of distinct words before it, or its number of
 * occurrences if it is of the highest order or starts with {@code <s>} (Heafield et al., "Scalable
 * Modified Kneser-Ney Language Model Estimation", 2013, section 3).
 */
final class NgramTrie {
  private static final int PRUNED = 1 << 31;

  private final Level[] levels;

  private NgramTrie(int order) {
    this.levels = new Level[order];
  }

  /**
   * The data of one order.
   *
   * @param order of the n-grams, from 1 on
   * @param size number of n-grams
   * @param words first word of each; absent for order 1, where the n-gram's index is the word
   * @param children first child of each, then the total number; absent for the highest order
   * @param counts adjusted count of each, and whether it is pruned
   * @param kept number of n-grams that are not pruned
   * @param countsOfCounts number of n-grams with the adjusted count 0, 1, 2, 3, 4
   */
  record Level(
      int order,
      int size,
      IntColumn words,
      IntColumn children,
      IntColumn counts,
      long kept,
      List<Long> countsOfCounts) {

    int count(int ngram) {
      return counts.get(ngram) & ~PRUNED;
    }

    boolean pruned(int ngram) {
      return counts.get(ngram) < 0;
    }

    /** The parent of a child. */
    int parent(int child) {
      int low = 0;
      int high = size - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        if (children.get(middle) <= child) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return low;
    }
  }

  /** The highest order. */
  int order() {
    return levels.length;
  }

  /** The n-grams of an order, from 1 on. */
  Level level(int order) {
    return levels[order - 1];
  }

  /**
   * Builds the trie.
   *
   * @param words number of distinct words
   * @param prune thresholds per order: n-grams that occur at most this often are marked
   * @param columns receives the total size in bytes, and then decides where the columns are stored
   */
  static NgramTrie build(
      SortedNgrams ngrams,
      int words,
      int order,
      long[] prune,
      LongFunction<Columns> columns,
      Team team) {
    int parts = ngrams.parts();
    long[][] starts = new long[parts + 1][order + 1]; // of a part's n-grams, per order
    team.run(parts, part -> countPart(ngrams, part, starts[part + 1]));
    for (int part = 0; part < parts; part++) {
      for (int k = 2; k <= order; k++) {
        starts[part + 1][k] += starts[part][k];
      }
    }
    long[] sizes = starts[parts];
    sizes[1] = words;
    Columns made = columns.apply(bytes(sizes, order));
    Filler[] fillers = new Filler[parts];
    NgramTrie trie = new NgramTrie(order);
    IntColumn[] firstWords = new IntColumn[order + 1];
    IntColumn[] children = new IntColumn[order + 1];
    IntColumn[] counts = new IntColumn[order + 1];
    for (int k = 1; k <= order; k++) {
      firstWords[k] = k > 1 ? made.ints(sizes[k]) : null;
      children[k] = k < order ? made.ints(sizes[k] + 1) : null;
      counts[k] = made.ints(sizes[k]);
    }
    team.run(
        parts,
        part -> {
          fillers[part] = new Filler(firstWords, children, counts, prune, starts[part], order);
          fillers[part].fill(ngrams, part, part == parts - 1);
        });
    for (int k = 1; k <= order; k++) {
      long kept = k == 1 ? 2 : 0; // <unk> and <s> never occur, but are always kept
      Long[] countsOfCounts = {0L, 0L, 0L, 0L, 0L};
      for (Filler filler : fillers) {
        kept += filler.kept[k];
        for (int i = 1; i < countsOfCounts.length; i++) {
          countsOfCounts[i] += filler.countsOfCounts[k][i];
        }
      }
      if (k < order) {
        children[k].set((int) sizes[k], (int) sizes[k + 1]);
      }
      trie.levels[k - 1] =
          new Level(
              k,
              (int) sizes[k],
              firstWords[k],
              children[k],
              counts[k],
              kept,
              List.of(countsOfCounts));
    }
    return trie;
  }

  private static void countPart(SortedNgrams ngrams, int part, long[] sizes) {
    try (SortedNgrams.Cursor cursor = ngrams.open(part)) {
      while (cursor.next()) {
        for (int k = Math.max(2, cursor.shared() + 1); k <= cursor.length(); k++) {
          sizes[k]++;
        }
      }
    }
  }

  /** The size in bytes of the trie and of {@link KneserNey}'s columns. */
  private static long bytes(long[] sizes, int order) {
    long bytes = 0;
    long most = 0;
    for (int k = 1; k <= order; k++) {
      bytes += (k < order ? 12 : 8) * sizes[k];
      long context = k < order ? 28 * sizes[k] + 8 * sizes[k + 1] : 0;
      most = Math.max(most, context);
    }
    return bytes + most;
  }

  /** Writes a part's n-grams to their positions. */
  private static final class Filler {
    private final IntColumn[] words;
    private final IntColumn[] children;
    private final IntColumn[] counts;
    private final long[] prune;
    private final int order;
    private final int[] next; // next n-gram per order
    private final int[] open; // current n-gram per order
    private final int[] before; // number of distinct words before it; unused for order 0
    private final long[] seen;
    final long[] kept;
    final long[][] countsOfCounts;
    private int depth;

    Filler(
        IntColumn[] words,
        IntColumn[] children,
        IntColumn[] counts,
        long[] prune,
        long[] starts,
        int order) {
      this.words = words;
      this.children = children;
      this.counts = counts;
      this.prune = prune;
      this.order = order;
      this.next = new int[order + 2];
      for (int k = 2; k <= order; k++) {
        next[k] = (int) starts[k];
      }
      this.open = new int[order + 1];
      this.before = new int[order + 2];
      this.seen = new long[order + 1];
      this.kept = new long[order + 1];
      this.countsOfCounts = new long[order + 1][5];
    }

    void fill(SortedNgrams ngrams, int part, boolean lastPart) {
      try (SortedNgrams.Cursor cursor = ngrams.open(part)) {
        while (cursor.next()) {
          int shared = cursor.shared();
          int length = cursor.length();
          long count = cursor.count();
          close(shared, false);
          for (int k = 1; k <= shared; k++) {
            seen[k] += count;
          }
          before[shared]++;
          for (int k = shared + 1; k <= length; k++) {
            int ngram = k == 1 ? cursor.word(0) : next[k]++;
            open[k] = ngram;
            seen[k] = count;
            before[k] = k < length ? 1 : 0;
            if (k > 1) {
              words[k].set(ngram, cursor.word(k - 1));
            }
            if (k < order) {
              children[k].set(ngram, next[k + 1]);
            }
          }
          depth = length;
        }
      }
      close(0, lastPart);
    }

    /**
     * Completes the n-grams above an order.
     *
     * @param last whether these are the very last. lmplz enters them into its counts of counts by
     *     their number of occurrences, whatever their adjusted counts; to get its discounts, so do
     *     we.
     */
    private void close(int to, boolean last) {
      for (int k = depth; k > to; k--) {
        long count = k == depth ? seen[k] : before[k];
        if (count > Integer.MAX_VALUE) {
          throw new OperatorException(
              "an n-gram of order " + k + " occurs " + count + " times, more than can be counted");
        }
        boolean pruned = seen[k] <= prune[k - 1];
        counts[k].set(open[k], pruned ? (int) count | PRUNED : (int) count);
        kept[k] += pruned ? 0 : 1;
        long listed = last ? seen[k] : count;
        if (listed < 5) {
          countsOfCounts[k][(int) listed]++;
        }
      }
      depth = Math.min(depth, to);
    }
  }
}
