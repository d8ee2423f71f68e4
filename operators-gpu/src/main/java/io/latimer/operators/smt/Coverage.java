package io.latimer.operators.smt;

/**
 * Which words of a sentence are translated: all before the first gap, none after {@value #WINDOW}
 * words from it, and between these the words of a mask, whose bit i stands for the i-th word from
 * the gap. So bit 0 of a mask is never set.
 */
final class Coverage {
  /** Words that a mask covers. */
  static final int WINDOW = Long.SIZE;

  private Coverage() {}

  /** The mask of consecutive words, which must be in the window. */
  static long span(int offset, int words) {
    return ((1L << words) - 1) << offset;
  }

  /** The number of words by which the gap moves when a mask has the words at the gap, too. */
  static int advance(long mask) {
    return Long.numberOfTrailingZeros(~mask);
  }

  /** The mask relative to the next gap. */
  static long moved(long mask, int advance) {
    return advance == WINDOW ? 0 : mask >>> advance;
  }
}
