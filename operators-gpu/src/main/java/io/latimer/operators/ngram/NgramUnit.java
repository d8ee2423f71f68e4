package io.latimer.operators.ngram;

import java.util.Locale;

/** The unit of an n-gram. */
public enum NgramUnit {
  /** Bytes, 1 to 8 of them. */
  BYTES(8),
  /** Words as ids from 0, 1 to 5 of them. */
  WORDS(5);

  private final int maxOrder;

  NgramUnit(int maxOrder) {
    this.maxOrder = maxOrder;
  }

  /** The maximum order. */
  public int maxOrder() {
    return maxOrder;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
