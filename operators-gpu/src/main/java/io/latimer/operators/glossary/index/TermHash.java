package io.latimer.operators.glossary.index;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.util.Hashing;

/** The hashes of a glossary's table, specified in {@code docs/formats.md}. */
public final class TermHash {
  private static final long SPACE = 0x9e3779b97f4a7c15L;

  private TermHash() {}

  /** The hash before the first word of a term. */
  public static long start(long seed, boolean sensitive) {
    return Hashing.mix(2 * seed + (sensitive ? 1 : 0) + SPACE);
  }

  /** The hash with one more word. */
  public static long next(long hash, long word) {
    return Hashing.mix(31 * hash + word);
  }

  /** The hash of a word: FNV-1a over the bytes of its UTF-16 characters, low byte first. */
  static long word(char[] text, int from, int to) {
    long hash = WordTable.FNV_BASIS;
    for (int i = from; i < to; i++) {
      hash = WordTable.hashNext(WordTable.hashNext(hash, (byte) text[i]), (byte) (text[i] >>> 8));
    }
    return Hashing.mix(hash);
  }

  /** The hash of a word with white space before it. */
  static long spaced(long word) {
    return word + SPACE;
  }
}
