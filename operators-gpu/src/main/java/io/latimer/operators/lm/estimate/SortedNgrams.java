package io.latimer.operators.lm.estimate;

/**
 * The distinct n-grams of a text with their counts, in suffix order: by the last word, then by the
 * one before it, and so on, by word ids. An n-gram has as many words as the order, or fewer if it
 * starts with {@code <s>}. The n-grams come in parts that threads can read concurrently; all
 * n-grams with the same last word are in one part.
 */
interface SortedNgrams extends AutoCloseable {
  /** Reserved word ids. */
  int UNKNOWN = 0;

  int BEGIN = 1;
  int END = 2;

  /** The number of parts. */
  int parts();

  /** Opens a part at its start; may be called any number of times. */
  Cursor open(int part);

  /** Bytes of Java's memory in use until closed. */
  long memory();

  @Override
  void close();

  /** Iterates over the n-grams of a part. */
  interface Cursor extends AutoCloseable {
    /** Advances to the next n-gram; returns false at the end. */
    boolean next();

    /** The number of words of the n-gram. */
    int length();

    /** The number of last words shared with the previous n-gram; less than the length. */
    int shared();

    /**
     * A word of the n-gram.
     *
     * @param back 0 for the last word, 1 for the one before it, and so on
     */
    int word(int back);

    /** The number of occurrences, 1 or more. */
    long count();

    @Override
    default void close() {}
  }
}
