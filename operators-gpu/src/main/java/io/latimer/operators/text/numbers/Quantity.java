package io.latimer.operators.text.numbers;

import io.latimer.operators.text.numbers.NumberForm.Style;
import java.math.BigDecimal;
import java.util.List;

/**
 * A figure with its sign and unit.
 *
 * @param figure as written, with its sign
 * @param scale the power of ten of a word after it; 0 without one
 */
record Quantity(
    int start,
    int end,
    BigDecimal figure,
    boolean grouped,
    int scale,
    String sign,
    String unit,
    String symbol,
    boolean spaced,
    Style style) {
  BigDecimal value() {
    return figure.scaleByPowerOfTen(scale);
  }

  /** Nothing but digits. */
  boolean isWhole() {
    return figure.scale() <= 0
        && figure.signum() >= 0
        && !grouped
        && scale == 0
        && sign.isEmpty()
        && unit.isEmpty()
        && style == Style.FIGURES;
  }

  NumberSpan span(String text) {
    NumberKind kind = sign.equals("±") ? NumberKind.TOLERANCE : NumberKind.NUMBER;
    return NumberSpan.of(
        text, start, end, new NumberValue(kind, List.of(value()), unit), form(List.of(figure)));
  }

  NumberForm form(List<BigDecimal> figures) {
    return new NumberForm(style, figures, grouped, scale, sign, symbol, spaced);
  }
}
