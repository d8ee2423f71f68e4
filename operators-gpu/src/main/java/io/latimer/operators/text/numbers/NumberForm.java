package io.latimer.operators.text.numbers;

import java.math.BigDecimal;
import java.util.List;

/**
 * How a text writes a number: what a translation keeps beside the value.
 *
 * @param style the notation
 * @param figures the numbers with the decimals that the text shows, before a word like "million"
 * @param grouped whether thousands are separated
 * @param scale the power of ten of a word like "million" after the last figure; 0 without one
 * @param sign {@code +}, {@code ±}, {@code ∓} after a word that may mean minus, or empty; a minus
 *     is part of the value
 * @param symbol the unit as written; empty if there is none
 * @param spaced whether a space is between the number and its unit
 */
public record NumberForm(
    Style style,
    List<BigDecimal> figures,
    boolean grouped,
    int scale,
    String sign,
    String symbol,
    boolean spaced) {
  /** A notation. */
  public enum Style {
    FIGURES,
    ORDINAL,
    /** A year with the suffix of a decade, such as {@code 1980s}. */
    DECADE,
    WORDS,
    /** {@code 2025-12-31}. */
    ISO_DATE,
    NUMERIC_DATE,
    MONTH_NAME,
    MONTH_ABBREVIATION,
    /** A time that may be one before or after noon, or a ratio. */
    CLOCK,
    /** A time that says that it is one: with {@code p.m.}, {@code Uhr}, {@code h}. */
    MARKED_CLOCK
  }

  public NumberForm {
    figures = List.copyOf(figures);
  }

  /** A form without a unit. */
  static NumberForm of(Style style, List<BigDecimal> figures) {
    return new NumberForm(style, figures, false, 0, "", "", false);
  }

  NumberForm withoutScale() {
    return new NumberForm(style, figures, grouped, 0, sign, symbol, spaced);
  }
}
