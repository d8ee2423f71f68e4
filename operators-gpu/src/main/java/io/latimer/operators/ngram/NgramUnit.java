package io.latimer.operators.ngram;

import java.util.Locale;

/** What an n-gram is made of. */
public enum NgramUnit {
  /** Bytes, 1 to 8 of them. */
  BYTES(8),
  /** Words as ids from 0, 1 to 5 of them. */
  WORDS(5);

  private final int maxOrder;

  NgramUnit(int maxOrder) {
    this.maxOrder = maxOrder;
  }

  /** The longest n-gram that is counted. */
  public int maxOrder() {
    return maxOrder;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
