package io.latimer.operators.smt;

import java.util.Arrays;

/**
 * Estimates the best score of the words that a partial translation leaves open: that of the best
 * choices for them, with the language model's score without context, and without reordering.
 */
final class FutureScores {
  private final int words;

  /** By first word and by number of words less one, up to the window of {@link Coverage}. */
  private final double[] inner;

  /** From a word to the end of the sentence. */
  private final double[] tail;

  /**
   * Computes the scores of a sentence.
   *
   * @param choices per word and number of words less one, the choices for the phrase, best first;
   *     null for none. Each word has choices of its own
   */
  FutureScores(Choice[][][] choices) {
    this.words = choices.length;
    this.inner = new double[words * Coverage.WINDOW];
    this.tail = new double[words + 1];
    for (int from = words - 1; from >= 0; from--) {
      Choice[][] phrases = choices[from];
      int longest = Math.min(words - from, Coverage.WINDOW);
      int first = from * Coverage.WINDOW;
      Arrays.fill(inner, first, first + longest, Double.NEGATIVE_INFINITY);
      tail[from] = Double.NEGATIVE_INFINITY;
      for (int length = 1; length <= phrases.length; length++) {
        if (phrases[length - 1] == null) {
          continue;
        }
        double best = phrases[length - 1][0].expected;
        tail[from] = Math.max(tail[from], best + tail[from + length]);
        for (int all = length; all <= longest; all++) {
          double rest = all == length ? 0 : of(from + length, all - length);
          inner[first + all - 1] = Math.max(inner[first + all - 1], best + rest);
        }
      }
    }
  }

  /** The score of consecutive words, 1 to the window of {@link Coverage}. */
  double of(int from, int length) {
    return inner[from * Coverage.WINDOW + length - 1];
  }

  /**
   * The score of all open words.
   *
   * @param gap the first open word; the number of words for none
   * @param mask the translated words from there
   */
  double open(int gap, long mask) {
    if (mask == 0) {
      return tail[gap];
    }
    double sum = 0;
    int at = 0;
    long rest = mask;
    while (rest != 0) {
      int length = Long.numberOfTrailingZeros(rest);
      sum += length == 0 ? 0 : of(gap + at, length);
      rest >>>= length;
      int covered = Coverage.advance(rest);
      rest = Coverage.moved(rest, covered);
      at += length + covered;
    }
    return sum + tail[gap + at];
  }
}
