package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import java.util.Objects;

/**
 * What to count, and how.
 *
 * @param unit bytes or words
 * @param order n: 1 to {@link NgramUnit#maxOrder}
 * @param strategy how; {@link NgramStrategy} lists the orders that each supports
 */
public record NgramOptions(NgramUnit unit, int order, NgramStrategy strategy) {

  /**
   * Checks the combination.
   *
   * @throws OperatorException naming the conflict and what is allowed
   */
  public NgramOptions {
    Objects.requireNonNull(unit, "unit");
    Objects.requireNonNull(strategy, "strategy");
    if (order < 1 || order > unit.maxOrder()) {
      throw new OperatorException(
          "n-grams of " + unit + " have an order of 1 to " + unit.maxOrder() + ", found " + order);
    }
    int most =
        switch (strategy) {
          case V1 -> unit == NgramUnit.BYTES ? 4 : 0;
          case V2 -> unit == NgramUnit.BYTES ? 3 : 0;
          case AUTO, SORT, HASH -> unit.maxOrder();
        };
    if (order > most) {
      throw new OperatorException(
          "strategy "
              + strategy
              + " counts "
              + (most == 0 ? "bytes only, not words" : "bytes up to order " + most)
              + ": its table has 256^n counts; found order "
              + order
              + " of "
              + unit
              + ", for which sort, hash or auto will do");
    }
  }

  /** Options with strategy auto. */
  public static NgramOptions of(NgramUnit unit, int order) {
    return new NgramOptions(unit, order, NgramStrategy.AUTO);
  }

  /** These options, checked for a counter of a single unit. */
  NgramOptions of(NgramUnit only) {
    if (unit != only) {
      throw new IllegalArgumentException("a counter of " + only + " is asked for " + this);
    }
    return this;
  }
}
