package io.latimer.operators.lm;

import java.util.Objects;

/**
 * Words to be scored one after the other.
 *
 * @param ids of the words, {@link LmVocabulary#id}; not copied
 * @param begin whether they begin a sentence: {@code <s>} is the context of the first, and is not
 *     scored
 * @param end whether {@code </s>} is scored behind them
 * @param state the context of the first word where they do not begin a sentence, such as {@link
 *     WordScores#out} of what came before
 */
public record LmSentence(int[] ids, boolean begin, boolean end, LmState state) {
  public LmSentence {
    Objects.requireNonNull(ids, "ids");
    if (begin && state.length() > 0) {
      throw new IllegalArgumentException("what begins a sentence has no context before it");
    }
  }

  /** A whole sentence. */
  public static LmSentence of(int... ids) {
    return new LmSentence(ids, true, true, LmState.NONE);
  }

  /** Words behind others. */
  public static LmSentence after(LmState state, int... ids) {
    return new LmSentence(ids, false, false, state);
  }

  /** How many words are scored, {@code </s>} among them. */
  public int tokens() {
    return ids.length + (end ? 1 : 0);
  }
}
