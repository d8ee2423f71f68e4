package io.latimer.operators.lm;

/**
 * How to score a text.
 *
 * @param begin whether it starts a sentence: then {@code <s>} is the context of its first word
 * @param end whether it ends one: then {@code </s>} is scored after its last word
 * @param words whether to keep the scores of the single words, about 10 bytes each; totals of a
 *     text are the same without them
 */
public record ScoreOptions(boolean begin, boolean end, boolean words) {
  /** Each text is a sentence. */
  public static final ScoreOptions SENTENCES = new ScoreOptions(true, true, true);

  /** Texts are plain words, as for KenLM's {@code query -n}. */
  public static final ScoreOptions FRAGMENTS = new ScoreOptions(false, false, true);

  /** The same options, for callers that only need the totals of each text. */
  public ScoreOptions totalsOnly() {
    return new ScoreOptions(begin, end, false);
  }
}
