package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;
import java.util.Arrays;
import java.util.Objects;

/**
 * The scores of a text: those of its words, then that of {@code </s>} if it is scored. A view that
 * keeps its underlying columns in memory. What refers to single words is there only if {@link
 * ScoreOptions#words}; else it throws an {@link IllegalStateException}.
 */
public final class Scored {
  private final ScoreColumns columns;
  private final int text;
  private final int first;
  private final int tokens;

  Scored(ScoreColumns columns, int text) {
    this.columns = columns;
    this.text = text;
    this.first = columns.first(text);
    this.tokens = columns.scored(text);
  }

  /** The number of scored words, including {@code </s>}. */
  public int tokens() {
    return tokens;
  }

  /** The number of words in the text. */
  public int words() {
    return tokens - (columns.options().end() ? 1 : 0);
  }

  /** The id of the i-th word, 0 if unknown. */
  public int id(int i) {
    return columns.id(at(i));
  }

  /** log10 of the probability of the i-th word in its context. */
  public float log10(int i) {
    return columns.log10()[at(i)];
  }

  /** Words of the longest n-gram that matched at the i-th word, 1 to the model's order. */
  public int length(int i) {
    return columns.lengths()[at(i)];
  }

  /** Whether the i-th word is unknown. */
  public boolean isUnknown(int i) {
    return id(i) == WordTable.UNKNOWN;
  }

  /** The ids of all words; a copy. */
  public int[] ids() {
    requireWords();
    int[] ids = new int[tokens];
    for (int i = 0; i < tokens; i++) {
      ids[i] = id(i);
    }
    return ids;
  }

  /** log10 of the probabilities of all words; a copy. */
  public float[] log10() {
    requireWords();
    return Arrays.copyOfRange(columns.log10(), first, first + tokens);
  }

  /** The lengths of all matches; a copy. */
  public byte[] lengths() {
    requireWords();
    return Arrays.copyOfRange(columns.lengths(), first, first + tokens);
  }

  /** The sum of the scores in word order, each step rounded to float32. */
  public float total() {
    return columns.totals()[text];
  }

  /** The number of unknown words. */
  public int unknown() {
    return columns.unknown()[text];
  }

  /** The perplexity of all words; NaN if there are none. */
  public double perplexity() {
    return perplexities().including();
  }

  /** The perplexity of the known words; NaN if there are none. */
  public double perplexityOfKnown() {
    return perplexities().excluding();
  }

  private Perplexity perplexities() {
    Perplexity perplexity = new Perplexity();
    perplexity.add(this);
    return perplexity;
  }

  /** The sum of the scores of the unknown words. */
  double unknownTotal() {
    return columns.unknownTotals()[text];
  }

  private void requireWords() {
    if (!columns.options().words()) {
      throw new IllegalStateException("the scores of single words were not kept");
    }
  }

  private int at(int i) {
    requireWords();
    return first + Objects.checkIndex(i, tokens);
  }
}
