package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import java.security.SecureRandom;
import java.util.Arrays;

/** An open-addressing table of 64-bit keys and counts; a count of 0 marks a free slot. */
final class LongTable {
  private static final int SMALLEST = 1 << 10;

  /**
   * Odd and different in each process: the author of a text cannot predict which n-grams cluster.
   */
  static final long FACTOR = new SecureRandom().nextLong() | 1;

  private long[] keys = new long[SMALLEST];
  private long[] counts = new long[SMALLEST];
  private int size;

  void add(long key, long count) {
    int at = find(key);
    if (counts[at] == 0) {
      if (size >= keys.length / 8 * 5) {
        grow();
        at = find(key);
      }
      keys[at] = key;
      size++;
    }
    counts[at] = Math.addExact(counts[at], count);
  }

  void addAll(LongTable other) {
    for (int i = 0; i < other.keys.length; i++) {
      if (other.counts[i] != 0) {
        add(other.keys[i], other.counts[i]);
      }
    }
  }

  private int find(long key) {
    long mixed = key * FACTOR;
    mixed ^= mixed >>> 32;
    int mask = keys.length - 1;
    int at = (int) ((mixed * 0xd6e8feb86659fd93L) >>> 33) & mask;
    while (counts[at] != 0 && keys[at] != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void grow() {
    if (keys.length >= 1 << 30) {
      throw new OperatorException(
          "more than " + size + " different n-grams do not fit into a table");
    }
    long[] oldKeys = keys;
    long[] oldCounts = counts;
    keys = new long[oldKeys.length * 2];
    counts = new long[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldCounts[i] != 0) {
        int at = find(oldKeys[i]);
        keys[at] = oldKeys[i];
        counts[at] = oldCounts[i];
      }
    }
  }

  /** The keys, sorted as unsigned numbers. */
  long[] sortedKeys() {
    long[] sorted = new long[size];
    int at = 0;
    for (int i = 0; i < keys.length; i++) {
      if (counts[i] != 0) {
        sorted[at++] = keys[i] ^ Long.MIN_VALUE; // makes signed order equal unsigned order
      }
    }
    Arrays.parallelSort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] ^= Long.MIN_VALUE;
    }
    return sorted;
  }

  /** The counts of keys. */
  long[] counts(long[] of) {
    long[] found = new long[of.length];
    for (int i = 0; i < of.length; i++) {
      found[i] = count(of[i]);
    }
    return found;
  }

  /** The table as byte n-gram counts. */
  NgramCounts sorted(int order) {
    long[] sorted = sortedKeys();
    return NgramCounts.ofBytes(order, sorted, counts(sorted));
  }

  /** The count of a key, 0 if it is not there. */
  long count(long key) {
    return counts[find(key)];
  }
}
