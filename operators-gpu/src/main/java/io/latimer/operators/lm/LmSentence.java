package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LmState;

/** Consecutive words to score. */
public final class LmSentence {
  private final int[] ids;
  private final boolean begin;
  private final boolean end;
  private final LmState state;

  /**
   * Makes a sentence.
   *
   * @param ids word ids, see {@link WordTable#id}; not copied
   * @param begin whether they start a sentence: then {@code <s>}, which is not scored, is the
   *     context of the first word
   * @param end whether to score {@code </s>} after them
   * @param state the context of the first word if they do not start a sentence, such as the {@link
   *     WordScores#out} of the preceding words
   */
  public LmSentence(int[] ids, boolean begin, boolean end, LmState state) {
    if (begin && state.length() > 0) {
      throw new IllegalArgumentException("a sentence's beginning has no preceding context");
    }
    this.ids = ids;
    this.begin = begin;
    this.end = end;
    this.state = state;
  }

  /** A whole sentence. */
  public static LmSentence of(int... ids) {
    return new LmSentence(ids, true, true, LmState.NONE);
  }

  /** Words that follow others. */
  public static LmSentence after(LmState state, int... ids) {
    return new LmSentence(ids, false, false, state);
  }

  /** Ids of the words; do not modify. */
  public int[] ids() {
    return ids;
  }

  /** Whether {@code <s>} is the context of the first word. */
  public boolean begin() {
    return begin;
  }

  /** Whether {@code </s>} is scored after the words. */
  public boolean end() {
    return end;
  }

  /** The context of the first word if it does not start a sentence. */
  public LmState state() {
    return state;
  }

  /** The number of scored words, including {@code </s>}. */
  public int tokens() {
    return ids.length + (end ? 1 : 0);
  }
}
