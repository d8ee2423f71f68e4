package io.latimer.operators.lm;

/**
 * How a text is scored.
 *
 * @param begin whether it begins a sentence: {@code <s>} is the context of its first word
 * @param end whether it ends one: {@code </s>} is scored behind its last word
 */
public record ScoreOptions(boolean begin, boolean end) {
  /** Each text is a sentence. */
  public static final ScoreOptions SENTENCES = new ScoreOptions(true, true);

  /** Texts are words alone, as KenLM's {@code query -n} takes them. */
  public static final ScoreOptions FRAGMENTS = new ScoreOptions(false, false);
}
