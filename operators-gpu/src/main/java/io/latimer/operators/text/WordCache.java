package io.latimer.operators.text;

import java.util.List;

/**
 * The pieces of words that came lately. Words of running text come again and again; a feed's
 * vocabulary has no bound, the cache has. Safe for use by many threads at once, which never wait
 * for one another: entries do not change, and a thread that does not see another's entry makes it
 * once more.
 */
final class WordCache {
  /** Two to this are the places; a word may lie in one of two that are neighbours. */
  private static final int BITS = 16;

  /** A longer word is not kept. */
  private static final int LONGEST = 64;

  private final Entry[] entries = new Entry[1 << BITS];

  private record Entry(String word, int hash, List<String> pieces) {
    boolean holds(String line, int from, int length, int hashed) {
      return hash == hashed && word.length() == length && line.startsWith(word, from);
    }
  }

  /**
   * Returns the pieces of a word of a line, which is not copied; null if they are not here.
   *
   * @param from where it begins
   * @param to behind its last character
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
   * Keeps the pieces of a word in place of others.
   *
   * @param pieces immutable
   */
  void put(String word, List<String> pieces) {
    if (word.length() > LONGEST) {
      return;
    }
    int hash = hash(word, 0, word.length());
    int place = place(hash);
    entries[place ^ 1] = entries[place]; // what came before goes before what came long before
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
