package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LmState;

/**
 * Consecutive words to score.
 *
 * @param ids word ids, see {@link WordTable#id}; not copied; do not modify
 * @param begin whether they start a sentence: then {@code <s>}, which is not scored, is the context
 *     of the first word
 * @param end whether to score {@code </s>} after them
 * @param state the context of the first word if they do not start a sentence, such as the {@link
 *     WordScores#out} of the preceding words
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LmSentence(int[] ids, boolean begin, boolean end, LmState state) {
  /** Checks that there is one context at most. */
  public LmSentence {
    if (begin && state.length() > 0) {
      throw new IllegalArgumentException("a sentence's beginning has no preceding context");
    }
  }

  /** A whole sentence. */
  public static LmSentence of(int... ids) {
    return new LmSentence(ids, true, true, LmState.NONE);
  }

  /** Words that follow others. */
  public static LmSentence after(LmState state, int... ids) {
    return new LmSentence(ids, false, false, state);
  }

  /** The number of scored words, including {@code </s>}. */
  public int tokens() {
    return ids.length + (end ? 1 : 0);
  }
}
