package io.latimer.operators.text.numbers;

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

  boolean isCode() {
    return value.kind() == NumberKind.CODE;
  }
}
