package io.latimer.operators.lm;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The scores of many texts, in columns of some thousands of texts each; {@link #get} returns a view
 * of one text's. Immutable; thread-safe.
 */
public final class ScoredTexts {
  private final ScoreColumns[] columns;
  private final int[] firsts; // first text of each column, and the total number of texts

  /** Concatenates columns. */
  ScoredTexts(List<ScoreColumns> parts) {
    this.columns = parts.toArray(ScoreColumns[]::new);
    this.firsts = new int[columns.length + 1];
    for (int i = 0; i < columns.length; i++) {
      firsts[i + 1] = Math.addExact(firsts[i], columns[i].texts());
    }
  }

  /** The number of texts. */
  public int size() {
    return firsts[columns.length];
  }

  /** The scores of a text, from 0 on. */
  public Scored get(int text) {
    Objects.checkIndex(text, size());
    int place = Arrays.binarySearch(firsts, text);
    // No column is empty, so no two start with the same text.
    int found = place < 0 ? -place - 2 : place;
    return new Scored(columns[found], text - firsts[found]);
  }

  /** The perplexity of all texts. */
  public Perplexity perplexity() {
    Perplexity perplexity = new Perplexity();
    perplexity.add(this);
    return perplexity;
  }

  List<ScoreColumns> columns() {
    return List.of(columns);
  }
}
