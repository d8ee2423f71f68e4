package io.latimer.operators.text.bleu;

import java.util.Arrays;

/** What {@link Bleu} counts in a sentence's translation. Immutable. */
public final class BleuCounts {
  private final int[] matches; // of n-grams by their words less one
  private final int words;
  private final int expected;

  /**
   * Makes counts.
   *
   * @param matches not copied
   */
  BleuCounts(int[] matches, int words, int expected) {
    this.matches = matches;
    this.words = words;
    this.expected = expected;
  }

  /** The number of matching n-grams, each clipped to its count in the reference. */
  int matches(int n) {
    return matches[n - 1];
  }

  /** The number of n-grams. */
  int total(int n) {
    return Math.max(0, words - n + 1);
  }

  /** The number of words. */
  int words() {
    return words;
  }

  /** The number of the reference's words. */
  int expected() {
    return expected;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BleuCounts that
        && words == that.words
        && expected == that.expected
        && Arrays.equals(matches, that.matches);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Arrays.hashCode(matches) + words) + expected;
  }
}
