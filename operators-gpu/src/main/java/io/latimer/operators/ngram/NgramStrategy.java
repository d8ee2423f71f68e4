package io.latimer.operators.ngram;

import java.util.Locale;

/**
 * How to count n-grams on a GPU. All strategies give the same counts. The CPU ignores the strategy,
 * but rejects what the strategy does not support.
 */
public enum NgramStrategy {
  /** The cheapest for the order and the size of text, according to measurements. */
  AUTO,
  /** One histogram in global memory (the paper's V1): bytes, order 1 to 4. */
  V1,
  /** Several histograms in global memory, then their sum (the paper's V2): bytes, order 1 to 3. */
  V2,
  /** Map, sort, reduce (the paper's B). */
  SORT,
  /** Histograms or a hash table, fed through shared memory. */
  HASH;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
