package io.latimer.operators.text;

import java.util.List;

/**
 * A bounded cache of the pieces of recent words, because words of running text recur. Thread-safe
 * and lock-free: entries are immutable, and a thread that misses another's entry computes it again.
 */
final class WordCache {
  /** The cache has 2^this slots; a word is in one of two adjacent ones. */
  private static final int BITS = 16;

  /** Longer words are not cached. */
  private static final int LONGEST = 64;

  private final Entry[] entries = new Entry[1 << BITS];

  private record Entry(String word, int hash, List<String> pieces) {
    boolean holds(String line, int from, int length, int hashed) {
      return hash == hashed && word.length() == length && line.startsWith(word, from);
    }
  }

  /**
   * Returns the pieces of a word of a line without copying it; null if they are not cached.
   *
   * @param from its start
   * @param to its end, exclusive
   */
  List<String> get(String line, int from, int to) {
    if (to - from > LONGEST) {
      return null;
    }
    int hash = hash(line, from, to);
    int place = place(hash);
    Entry first = entries[place];
    if (first != null && first.holds(line, from, to - from, hash)) {
      return first.pieces();
    }
    Entry second = entries[place ^ 1];
    return second != null && second.holds(line, from, to - from, hash) ? second.pieces() : null;
  }

  /**
   * Caches the pieces of a word, replacing others.
   *
   * @param pieces immutable
   */
  void put(String word, List<String> pieces) {
    if (word.length() > LONGEST) {
      return;
    }
    int hash = hash(word, 0, word.length());
    int place = place(hash);
    entries[place ^ 1] = entries[place]; // the newer entry replaces the older one
    entries[place] = new Entry(word, hash, pieces);
  }

  private static int hash(String line, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + line.charAt(i);
    }
    return hash;
  }

  private static int place(int hash) {
    return (hash * 0x9E3779B9) >>> (Integer.SIZE - BITS);
  }
}
