package io.latimer.operators.phrases.index;

import io.latimer.operators.util.Hashing;
import java.util.Arrays;

/** How often each pair of words occurs together: a hash table with open addressing. */
class PairCounts {
  private static final int MAX_PAIRS = 1 << 29;

  private long[] keys = new long[1 << 10];
  private int[] counts = new int[1 << 10]; // 0 for free slots
  private int size;

  /** Adds occurrences of a pair, at least one. */
  final void add(int first, int second, int times) {
    long key = (long) first << 32 | second;
    int slot = slot(key);
    if (counts[slot] == 0) {
      keys[slot] = key;
      size++;
    }
    if (counts[slot] > Integer.MAX_VALUE - times) {
      throw new PhraseTextException("two words occur together 2^31 times or more; split the text");
    }
    counts[slot] += times;
    if (size > counts.length / 2) {
      grow();
    }
  }

  private int slot(long key) {
    int mask = keys.length - 1;
    int slot = (int) (Hashing.mix(key) >>> 32) & mask;
    while (counts[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    if (keys.length == MAX_PAIRS) {
      throw new PhraseTextException(
          "the text has more than " + MAX_PAIRS / 2 + " pairs of words; split it");
    }
    long[] oldKeys = keys;
    int[] oldCounts = counts;
    keys = new long[2 * oldKeys.length];
    counts = new int[2 * oldKeys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldCounts[i] != 0) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        counts[slot] = oldCounts[i];
      }
    }
  }

  /** The number of pairs. */
  final int size() {
    return size;
  }

  /** The pairs in ascending order: the first word in the upper half, the second in the lower. */
  final long[] sorted() {
    long[] sorted = new long[size];
    int to = 0;
    for (int slot = 0; slot < keys.length; slot++) {
      if (counts[slot] != 0) {
        sorted[to++] = keys[slot];
      }
    }
    Arrays.parallelSort(sorted);
    return sorted;
  }

  /** How often a pair, as {@link #sorted} has it, occurs; 0 if it does not. */
  final int count(long pair) {
    return counts[slot(pair)];
  }

  /** How often a pair occurs; 0 if it does not. */
  final int count(int first, int second) {
    return count((long) first << 32 | second);
  }
}
