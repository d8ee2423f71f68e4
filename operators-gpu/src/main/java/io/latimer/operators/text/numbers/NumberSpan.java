package io.latimer.operators.text.numbers;

import java.math.BigDecimal;

/**
 * A number in a text.
 *
 * @param start its first character (UTF-16), from 0
 * @param end exclusive
 * @param text its characters
 * @param value its value
 * @param form its notation
 */
public record NumberSpan(int start, int end, String text, NumberValue value, NumberForm form) {
  static NumberSpan of(String text, int start, int end, NumberValue value, NumberForm form) {
    return new NumberSpan(start, end, text.substring(start, end), value, form);
  }

  /**
   * Whether it is written in many figures, whose values change no other word: decimals and groups
   * of thousands of three figures or more in all, and any number of five or more.
   */
  public boolean isLong() {
    return form.style() == NumberForm.Style.FIGURES
        && form.figures().stream().anyMatch(this::hasManyFigures);
  }

  private boolean hasManyFigures(BigDecimal figure) {
    int digits = Math.max(figure.precision(), figure.scale() + 1);
    return digits >= 5 || (digits >= 3 && (figure.scale() > 0 || form.grouped()));
  }

  boolean isCode() {
    return value.kind() == NumberKind.CODE;
  }
}
