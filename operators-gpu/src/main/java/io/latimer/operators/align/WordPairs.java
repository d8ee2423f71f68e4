package io.latimer.operators.align;

import io.latimer.operators.OperatorException;

/**
 * The pairs of a source and a target word that co-occur in a sentence pair, and those of each word
 * and nothing. Each has a slot, a number below {@link #slots}.
 */
final class WordPairs {
  private static final int FIRST_SLOTS = 1 << 16; // a power of two
  private static final int MOST_SLOTS = 1 << 30;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L; // 2^64 divided by the golden ratio

  private long[] keys = new long[FIRST_SLOTS]; // 0 if free: nothing is never paired with nothing
  private int used;

  /** The pairs of a text's sentence pairs that can be aligned. */
  static WordPairs of(SentencePairs text) {
    WordPairs pairs = new WordPairs();
    for (int i = 0; i < text.size(); i++) {
      if (text.isAlignable(i)) {
        pairs.add(text.source(i), text.target(i));
      }
    }
    return pairs;
  }

  private void add(int[] source, int[] target) {
    for (int t : target) {
      add(key(0, t));
    }
    for (int s : source) {
      add(key(s, 0));
      for (int t : target) {
        add(key(s, t));
      }
    }
  }

  private void add(long key) {
    int slot = find(key);
    if (keys[slot] == key) {
      return;
    }
    keys[slot] = key;
    used++;
    if (used > keys.length / 2) {
      grow();
    }
  }

  private void grow() {
    if (keys.length == MOST_SLOTS) {
      throw new OperatorException(
          "the text has more than " + used + " pairs of words; align it in parts");
    }
    long[] old = keys;
    keys = new long[2 * old.length];
    for (long key : old) {
      if (key != 0) {
        keys[find(key)] = key;
      }
    }
  }

  /** The slots of pairs, some of which are free. */
  int slots() {
    return keys.length;
  }

  /** The slot of a pair of words that occur together. */
  int slot(int source, int target) {
    return find(key(source, target));
  }

  boolean isFree(int slot) {
    return keys[slot] == 0;
  }

  /** The source word of a slot, 0 for nothing. */
  int source(int slot) {
    return (int) (keys[slot] >>> 32);
  }

  /** The target word of a slot, 0 for nothing. */
  int target(int slot) {
    return (int) keys[slot];
  }

  private static long key(int source, int target) {
    return (long) source << 32 | target;
  }

  /** The slot of a key, or the free one where it belongs. */
  private int find(long key) {
    int mask = keys.length - 1;
    int slot = (int) ((key * GOLDEN) >>> 33) & mask;
    while (keys[slot] != key && keys[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
