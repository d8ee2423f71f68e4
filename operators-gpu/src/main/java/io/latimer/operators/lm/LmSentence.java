package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LmState;
import io.latimer.operators.lm.model.LmVocabulary;

/** Words to be scored one after the other. */
public final class LmSentence {
  private final int[] ids;
  private final boolean begin;
  private final boolean end;
  private final LmState state;

  /**
   * Makes a sentence.
   *
   * @param ids of the words, {@link LmVocabulary#id}; not copied
   * @param begin whether they begin a sentence: {@code <s>} is the context of the first, and is not
   *     scored
   * @param end whether {@code </s>} is scored behind them
   * @param state the context of the first word where they do not begin a sentence, such as {@link
   *     WordScores#out} of what came before
   */
  public LmSentence(int[] ids, boolean begin, boolean end, LmState state) {
    if (begin && state.length() > 0) {
      throw new IllegalArgumentException("what begins a sentence has no context before it");
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

  /** Words behind others. */
  public static LmSentence after(LmState state, int... ids) {
    return new LmSentence(ids, false, false, state);
  }

  /** Ids of the words; not to be changed. */
  public int[] ids() {
    return ids;
  }

  /** Whether {@code <s>} is the context of the first word. */
  public boolean begin() {
    return begin;
  }

  /** Whether {@code </s>} is scored behind the words. */
  public boolean end() {
    return end;
  }

  /** The context of the first word where it does not begin a sentence. */
  public LmState state() {
    return state;
  }

  /** How many words are scored, {@code </s>} among them. */
  public int tokens() {
    return ids.length + (end ? 1 : 0);
  }
}
