package io.latimer.operators.lm;

/**
 * How to score a text.
 *
 * @param begin whether it starts a sentence: then {@code <s>} is the context of its first word
 * @param end whether it ends one: then {@code </s>} is scored after its last word
 */
public record ScoreOptions(boolean begin, boolean end) {
  /** Each text is a sentence. */
  public static final ScoreOptions SENTENCES = new ScoreOptions(true, true);

  /** Texts are plain words, as for KenLM's {@code query -n}. */
  public static final ScoreOptions FRAGMENTS = new ScoreOptions(false, false);
}
