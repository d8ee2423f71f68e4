package io.latimer.operators.lm;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The scores of many texts. They lie in columns, some thousands of texts in each; {@link #get}
 * gives a view of one text's. Immutable; safe for use by several threads.
 */
public final class ScoredTexts {
  private final ScoreColumns[] columns;
  private final int[] firsts; // the first text of each, and how many there are in all

  /** Joins columns, in order. */
  ScoredTexts(List<ScoreColumns> parts) {
    this.columns = parts.toArray(ScoreColumns[]::new);
    this.firsts = new int[columns.length + 1];
    for (int i = 0; i < columns.length; i++) {
      firsts[i + 1] = Math.addExact(firsts[i], columns[i].texts());
    }
  }

  /** How many texts there are. */
  public int size() {
    return firsts[columns.length];
  }

  /** The scores of a text, from 0 on. */
  public Scored get(int text) {
    Objects.checkIndex(text, size());
    int place = Arrays.binarySearch(firsts, text);
    // No columns are empty, so that no two begin with the same text.
    int found = place < 0 ? -place - 2 : place;
    return new Scored(columns[found], text - firsts[found]);
  }

  /** The scores of all texts, each made when it is asked for. */
  public List<Scored> asList() {
    return new Views();
  }

  /** What all texts come to. */
  public Perplexity perplexity() {
    Perplexity perplexity = new Perplexity();
    perplexity.add(this);
    return perplexity;
  }

  List<ScoreColumns> columns() {
    return List.of(columns);
  }

  private final class Views extends AbstractList<Scored> implements RandomAccess {
    @Override
    public Scored get(int text) {
      return ScoredTexts.this.get(text);
    }

    @Override
    public int size() {
      return ScoredTexts.this.size();
    }
  }
}
