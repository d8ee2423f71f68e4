package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;

/**
 * Perplexity of a text, accumulated per sentence: 10 to the power of minus the mean log10
 * probability of the words, including {@code </s>}. Sums are rounded as in KenLM: float32 per
 * sentence, float64 for the text.
 */
public final class Perplexity {
  private long sentences;
  private long tokens;
  private long unknown;
  private double total;
  private double unknownTotal;

  /** Adds the scores of a sentence with these words. */
  public void add(LmSentence sentence, WordScores scores) {
    sentences++;
    tokens += scores.tokens();
    unknown += scores.unknown();
    total += scores.total();
    if (scores.unknown() > 0) {
      for (int i = 0; i < sentence.ids().length; i++) {
        if (sentence.ids()[i] == WordTable.UNKNOWN) {
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
          columns.totals()[text],
          columns.unknown()[text],
          columns.unknownTotals()[text]);
    }
  }

  private void add(int words, float log10, int unknownWords, double unknownLog10) {
    sentences++;
    tokens += words;
    unknown += unknownWords;
    total += log10;
    unknownTotal += unknownLog10;
  }

  /** The number of sentences. */
  public long sentences() {
    return sentences;
  }

  /** The number of words, including {@code </s>}. */
  public long tokens() {
    return tokens;
  }

  /** The number of unknown words. */
  public long unknown() {
    return unknown;
  }

  /** The perplexity of all words; NaN if there are none. */
  public double including() {
    return Math.pow(10, -(total / tokens));
  }

  /** The perplexity of the known words; NaN if there are none. */
  public double excluding() {
    return Math.pow(10, -((total - unknownTotal) / (tokens - unknown)));
  }
}
