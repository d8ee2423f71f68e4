package io.latimer.operators.lm.model;

import java.util.Arrays;

/**
 * The context of the scores to come, as short as possible by KenLM's rule. The arrays are not
 * copied; do not modify them.
 *
 * @param words ids of the context, newest first; at most the model's order less one
 * @param backoffs log10 of the back-offs of the newest word, of the two newest, and so on
 */
@SuppressWarnings("ArrayRecordComponent") // equals compares their content
public record LmState(int[] words, float[] backoffs) {
  /** No context: neither a word nor the start of a sentence. */
  public static final LmState NONE = new LmState(new int[0], new float[0]);

  /** Checks that each word has a back-off. */
  public LmState {
    if (words.length != backoffs.length) {
      throw new IllegalArgumentException(
          "a state has " + words.length + " words and " + backoffs.length + " back-offs");
    }
  }

  /** The number of words. */
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
