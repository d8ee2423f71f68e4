package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LmVocabulary;

/**
 * Perplexity of a text, gathered sentence by sentence: 10 to the power of minus the mean log10 of
 * the words' probabilities, {@code </s>} among the words. Sums are made as KenLM makes them: a
 * sentence's is of float32, the text's of float64.
 */
public final class Perplexity {
  private long sentences;
  private long tokens;
  private long unknown;
  private double total;
  private double unknownTotal;

  /** Adds the scores of a sentence, whose words these were. */
  public void add(LmSentence sentence, WordScores scores) {
    sentences++;
    tokens += scores.tokens();
    unknown += scores.unknown();
    total += scores.total();
    if (scores.unknown() > 0) {
      for (int i = 0; i < sentence.ids().length; i++) {
        if (sentence.ids()[i] == LmVocabulary.UNKNOWN) {
          unknownTotal += scores.log10(i);
        }
      }
    }
  }

  /** Adds the scores of a text. */
  public void add(Scored scored) {
    add(scored.tokens(), scored.total(), scored.unknown(), scored.unknownTotal());
  }

  /** Adds the scores of texts, one by one. */
  public void add(ScoredTexts texts) {
    texts.columns().forEach(this::add);
  }

  private void add(ScoreColumns columns) {
    for (int text = 0; text < columns.texts(); text++) {
      add(
          columns.scored(text),
          columns.totals[text],
          columns.unknown[text],
          columns.unknownTotals[text]);
    }
  }

  private void add(int words, float log10, int unknownWords, double unknownLog10) {
    sentences++;
    tokens += words;
    unknown += unknownWords;
    total += log10;
    unknownTotal += unknownLog10;
  }

  /** Sentences. */
  public long sentences() {
    return sentences;
  }

  /** Words, {@code </s>} among them. */
  public long tokens() {
    return tokens;
  }

  /** Words that the model does not know. */
  public long unknown() {
    return unknown;
  }

  /** log10 of the probability of all words. */
  public double total() {
    return total;
  }

  /** Of all words; NaN where there are none. */
  public double including() {
    return Math.pow(10, -(total / tokens));
  }

  /** Of the words that the model knows; NaN where there are none. */
  public double excluding() {
    return Math.pow(10, -((total - unknownTotal) / (tokens - unknown)));
  }
}
