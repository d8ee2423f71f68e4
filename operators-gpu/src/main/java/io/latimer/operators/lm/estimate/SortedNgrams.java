package io.latimer.operators.lm.estimate;

/**
 * The different n-grams of a text with their counts, in suffix order: by the last word, then by the
 * one before it, and so on, by word ids. An n-gram has as many words as the order, or fewer where
 * it begins with the begin of a sentence. They come in parts that several threads can read side by
 * side; all n-grams with the same last word are in one part.
 */
interface SortedNgrams extends AutoCloseable {
  /** The words' ids that have a meaning of their own. */
  int UNKNOWN = 0;

  int BEGIN = 1;
  int END = 2;

  /** In how many parts they come. */
  int parts();

  /** Opens a part, from its beginning; any number of times. */
  Cursor open(int part);

  /** Bytes of Java's memory that are held until closed. */
  long memory();

  @Override
  void close();

  /** Goes through the n-grams of a part. */
  interface Cursor extends AutoCloseable {
    /** Goes to the next n-gram; false when there is none. */
    boolean next();

    /** How many words the n-gram has. */
    int length();

    /** How many of its last words are also those of the n-gram before it; less than its length. */
    int shared();

    /**
     * A word.
     *
     * @param back 0 for the last word, 1 for the one before it, ...
     */
    int word(int back);

    /** How often it was seen, 1 or more. */
    long count();

    @Override
    default void close() {}
  }
}
