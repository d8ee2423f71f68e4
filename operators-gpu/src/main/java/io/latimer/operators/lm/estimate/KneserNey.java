package io.latimer.operators.lm.estimate;

import io.latimer.operators.util.Team;
import java.io.IOException;

/**
 * Probabilities and back-offs by interpolated modified Kneser-Ney smoothing, computed in float32
 * like lmplz, so that the results are identical.
 *
 * <p>An order needs its n-grams' contexts, which are n-grams of the order below. The context of a
 * child of P is the child of P's context with the same word. Both lists of children are sorted by
 * that word, so a merge finds the contexts.
 *
 * @param discounts per order
 * @param prunes per order, whether n-grams were pruned
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KneserNey(
    NgramTrie trie, Discounts[] discounts, boolean[] prunes, Columns columns, Team team) {
  private static final int PARTS_PER_THREAD = 8;

  // A sum: total count in the high bits, number of counts that are 1 in the low bits; the second
  // holds the numbers of counts that are 2, and 3 or more.
  private static final int ONES_BITS = 30;
  private static final long ONES = (1L << ONES_BITS) - 1;
  private static final int TWOS_SHIFT = 32;

  /** Receives the results of one order. */
  interface Sink {
    /**
     * Called for each order in turn.
     *
     * @param probabilities of each n-gram of the level, float32; undefined for pruned n-grams
     * @param backoffs likewise; null for the highest order
     */
    void accept(NgramTrie.Level level, IntColumn probabilities, IntColumn backoffs)
        throws IOException;
  }

  /** Computes all orders. */
  void compute(Sink sink) throws IOException {
    IntColumn probabilities = unigrams();
    IntColumn contexts = null;
    for (int order = 2; order <= trie.order(); order++) {
      IntColumn contextsBelow = contexts;
      contexts = columns.ints(trie.level(order).size());
      Sums sums = new Sums(columns, trie.level(order - 1).size(), prunes[order - 1]);
      addToContexts(order, contextsBelow, contexts, sums);
      IntColumn backoffs = backoffs(order, sums);
      sink.accept(trie.level(order - 1), probabilities, backoffs);
      probabilities = probabilities(order, contexts, sums, probabilities, backoffs);
    }
    sink.accept(trie.level(trie.order()), probabilities, null);
  }

  /** Sums per context, over the n-grams that have the context. */
  private static final class Sums {
    private final LongColumn countsAndOnes;
    private final LongColumn twosAndThrees;
    private final LongColumn pruned; // null if nothing is pruned

    Sums(Columns columns, int contexts, boolean prunes) {
      this.countsAndOnes = columns.longs(contexts);
      this.twosAndThrees = columns.longs(contexts);
      this.pruned = prunes ? columns.longs(contexts) : null;
    }

    void add(int context, int count, boolean isPruned) {
      if (isPruned) {
        countsAndOnes.add(context, (long) count << ONES_BITS);
        pruned.add(context, count);
      } else if (count == 1) {
        countsAndOnes.add(context, 1L << ONES_BITS | 1);
      } else {
        countsAndOnes.add(context, (long) count << ONES_BITS);
        twosAndThrees.add(context, count == 2 ? 1L << TWOS_SHIFT : 1);
      }
    }

    /** The sum of all adjusted counts, including pruned ones; 0 if not a context. */
    long count(int context) {
      return countsAndOnes.get(context) >>> ONES_BITS;
    }

    /** The probability mass taken by discounts and pruning, for the order below. */
    float backoff(int context, Discounts discounts) {
      long ones = countsAndOnes.get(context) & ONES;
      long others = twosAndThrees.get(context);
      return KneserNey.backoff(
          discounts,
          ones,
          others >>> TWOS_SHIFT,
          others & 0xffffffffL,
          pruned == null ? 0 : pruned.get(context),
          count(context));
    }
  }

  private static float backoff(
      Discounts discounts, long ones, long twos, long threes, long pruned, long sum) {
    float mass = discounts.one() * ones;
    mass += discounts.two() * twos;
    mass += discounts.threePlus() * threes;
    mass += pruned;
    return mass / (float) sum;
  }

  private IntColumn unigrams() {
    NgramTrie.Level level = trie.level(1);
    Discounts discount = discounts[0];
    long[] numbers = new long[4];
    long sum = 0;
    for (int word = 0; word < level.size(); word++) {
      int count = level.count(word);
      sum += count;
      numbers[Math.min(count, 3)]++;
    }
    float backoff = backoff(discount, numbers[1], numbers[2], numbers[3], 0, sum);
    // <unk> is among the words that share the remaining mass evenly. <s> is not: nothing predicts
    // it.
    float uniform = (float) (1.0 / (float) (level.size() - 1));
    IntColumn probabilities = columns.ints(level.size());
    for (int word = 0; word < level.size(); word++) {
      int count = level.count(word);
      float own = (count - discount.of(count)) / (float) sum;
      probabilities.setFloat(word, word == SortedNgrams.BEGIN ? 1 : own + backoff * uniform);
    }
    return probabilities;
  }

  /**
   * Finds the contexts of an order's n-grams, and adds the n-grams to their contexts' sums.
   *
   * @param below the contexts of the order below, null for order 2
   */
  private void addToContexts(int order, IntColumn below, IntColumn contexts, Sums sums) {
    NgramTrie.Level level = trie.level(order);
    NgramTrie.Level parents = trie.level(order - 1);
    IntColumn words = level.words();
    forEachParent(
        parents,
        level.size(),
        (parent, from, to) -> {
          if (order == 2) {
            for (int i = from; i < to; i++) {
              int context = words.get(i); // an n-gram of order 1 is its word's id
              contexts.set(i, context);
              sums.add(context, level.count(i), level.pruned(i));
            }
            return;
          }
          IntColumn siblings = trie.level(order - 2).children();
          int at = siblings.get(below.get(parent));
          int end = siblings.get(below.get(parent) + 1);
          for (int i = from; i < to; i++) {
            at = find(parents.words(), at, end, words.get(i));
            contexts.set(i, at);
            sums.add(at, level.count(i), level.pruned(i));
          }
        });
  }

  /** Finds a word in ascending words, where it is likely to be near the start. */
  private static int find(IntColumn words, int from, int to, int word) {
    int low = from;
    int step = 1;
    while (low + step < to && words.get(low + step) <= word) {
      low += step;
      step <<= 1;
    }
    int high = Math.min(low + step, to);
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (words.get(middle) <= word) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private IntColumn backoffs(int order, Sums sums) {
    int size = trie.level(order - 1).size();
    IntColumn backoffs = columns.ints(size);
    team.inParts(
        size,
        team.size(),
        (part, from, end) -> {
          for (int i = from; i < end; i++) {
            backoffs.setFloat(i, sums.count(i) == 0 ? 1 : sums.backoff(i, discounts[order - 1]));
          }
        });
    return backoffs;
  }

  private IntColumn probabilities(
      int order, IntColumn contexts, Sums sums, IntColumn below, IntColumn backoffs) {
    NgramTrie.Level level = trie.level(order);
    Discounts discount = discounts[order - 1];
    IntColumn probabilities = columns.ints(level.size());
    forEachParent(
        trie.level(order - 1),
        level.size(),
        (parent, from, to) -> {
          float lower = below.getFloat(parent);
          for (int i = from; i < to; i++) {
            if (!level.pruned(i)) {
              int context = contexts.get(i);
              int count = level.count(i);
              float own = (count - discount.of(count)) / (float) sums.count(context);
              probabilities.setFloat(i, own + backoffs.getFloat(context) * lower);
            }
          }
        });
    return probabilities;
  }

  private interface Children {
    /** Receives the n-grams that share a parent. */
    void accept(int parent, int from, int to);
  }

  /** Visits all n-grams of an order, grouped by parent, on all cores. */
  private void forEachParent(NgramTrie.Level parents, int size, Children task) {
    team.inParts(
        size,
        team.size() * PARTS_PER_THREAD,
        (part, first, end) -> {
          if (first == end) {
            return;
          }
          int from = first;
          for (int parent = parents.parent(from); from < end; parent++) {
            int to = Math.min(end, parents.children().get(parent + 1));
            if (from < to) {
              task.accept(parent, from, to);
              from = to;
            }
          }
        });
  }
}
