package io.latimer.operators.lm.model;

import java.util.Arrays;

/** What scores to come depend on: the shortest context that they can, by KenLM's rule. */
public final class LmState {
  /** No context: neither a word nor the beginning of a sentence. */
  public static final LmState NONE = new LmState(new int[0], new float[0]);

  private final int[] words;
  private final float[] backoffs;

  /**
   * Makes a state; neither array is copied.
   *
   * @param words ids of the context, the newest first; at most the model's order less one
   * @param backoffs of each: log10 of the back-off of the context that ends with it, so of the
   *     newest word alone, of the two newest, and so on
   */
  public LmState(int[] words, float[] backoffs) {
    if (words.length != backoffs.length) {
      throw new IllegalArgumentException(
          "a state has " + words.length + " words and " + backoffs.length + " back-offs");
    }
    this.words = words;
    this.backoffs = backoffs;
  }

  /** Ids of the context, the newest first; not to be changed. */
  public int[] words() {
    return words;
  }

  /** log10 of the back-offs of the newest word, of the two newest, and so on; not to be changed. */
  public float[] backoffs() {
    return backoffs;
  }

  /** How many words there are. */
  public int length() {
    return words.length;
  }

  /** Compares bits, so that -0 and 0 differ. */
  @Override
  public boolean equals(Object other) {
    return other instanceof LmState state
        && Arrays.equals(words, state.words)
        && Arrays.equals(backoffs, state.backoffs);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(words) + Arrays.hashCode(backoffs);
  }

  @Override
  public String toString() {
    return Arrays.toString(words) + Arrays.toString(backoffs);
  }
}
