package io.latimer.operators.text.numbers;

/** What the parts of a {@link NumberValue} mean. */
public enum NumberKind {
  /** One number, with or without a unit: a count, an ordinal, a percentage, an amount of money. */
  NUMBER,
  /** The number after ±. */
  TOLERANCE,
  /** Two numbers, from and to; the unit is that of both. */
  RANGE,
  /** Two whole numbers: a result or a ratio. */
  SCORE,
  /** A whole number, a numerator and a denominator. */
  FRACTION,
  /** A year, a month and a day, or a month and a day. A year below 100 had two digits. */
  DATE,
  /** An hour and a minute, or these and a second; 0 to 24 hours. */
  TIME,
  /** No number, but characters with digits that stay as they are: {@code H2O}, {@code 007}. */
  CODE
}
