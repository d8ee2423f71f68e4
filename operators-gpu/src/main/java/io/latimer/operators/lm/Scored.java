package io.latimer.operators.lm;

/**
 * The scores of a text.
 *
 * @param sentence its words' ids
 * @param scores of the words, and of {@code </s>} where that is scored
 */
public record Scored(LmSentence sentence, WordScores scores) {

  /** How many words were scored, {@code </s>} among them. */
  public int tokens() {
    return scores.log10().length;
  }

  /** Whether the model does not know the i-th word. */
  public boolean isUnknown(int i) {
    return i < sentence.ids().length && sentence.ids()[i] == LmVocabulary.UNKNOWN;
  }

  /** The perplexity of all words; NaN where there are none. */
  public double perplexity() {
    return perplexities().including();
  }

  /** The perplexity of the words that the model knows; NaN where there are none. */
  public double perplexityOfKnown() {
    return perplexities().excluding();
  }

  private Perplexity perplexities() {
    Perplexity perplexity = new Perplexity();
    perplexity.add(sentence, scores);
    return perplexity;
  }
}
