package io.latimer.operators.ngram;

import java.util.Locale;

/**
 * How n-grams are counted on a GPU. All give the same counts. The CPU counts in its own way,
 * whichever is named, and refuses what the named one refuses.
 */
public enum NgramStrategy {
  /** The one that costs least for the order and the size of text, by measurements. */
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
