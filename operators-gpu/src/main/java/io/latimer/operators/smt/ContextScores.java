package io.latimer.operators.smt;

import java.util.Arrays;

/**
 * Caches one sentence's language model scores of choices after contexts: partial translations that
 * end alike ask once. A hash table with open addressing.
 */
final class ContextScores {
  private static final long EMPTY = -1;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L; // 2^64 divided by the golden ratio

  private long[] keys = new long[256];
  private int[] places = new int[256];
  private float[] log10 = new float[128];
  private int[] contexts = new int[128];
  private int size;

  ContextScores() {
    Arrays.fill(keys, EMPTY);
  }

  /** The number of pairs of a context and a choice. */
  int size() {
    return size;
  }

  /**
   * The place of a pair; a new pair's place is the previous size.
   *
   * @param context number of the context
   * @param choice number of the choice
   */
  int place(int context, int choice) {
    long key = (long) context << 32 | choice;
    int slot = slot(key);
    if (keys[slot] == key) {
      return places[slot];
    }
    if (size == log10.length) {
      grow();
      slot = slot(key);
    }
    keys[slot] = key;
    places[slot] = size;
    return size++;
  }

  void set(int place, float score, int context) {
    log10[place] = score;
    contexts[place] = context;
  }

  /** log10 of the probability of the choice's words. */
  float log10(int place) {
    return log10[place];
  }

  /** The number of the context after them. */
  int context(int place) {
    return contexts[place];
  }

  private int slot(long key) {
    long hash = key * GOLDEN;
    int slot = (int) (hash >>> 32) & (keys.length - 1);
    while (keys[slot] != EMPTY && keys[slot] != key) {
      slot = (slot + 1) & (keys.length - 1);
    }
    return slot;
  }

  private void grow() {
    log10 = Arrays.copyOf(log10, 2 * size);
    contexts = Arrays.copyOf(contexts, 2 * size);
    long[] oldKeys = keys;
    int[] oldPlaces = places;
    keys = new long[4 * size];
    places = new int[4 * size];
    Arrays.fill(keys, EMPTY);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != EMPTY) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        places[slot] = oldPlaces[i];
      }
    }
  }
}
