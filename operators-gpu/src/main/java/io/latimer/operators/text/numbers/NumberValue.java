package io.latimer.operators.text.numbers;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/**
 * The value of a number, whatever its notation: equal values are equal objects.
 *
 * @param kind what the numbers mean
 * @param numbers the parts, without trailing zeros; none for a code
 * @param unit an ISO 4217 code for money, else ICU's identifier such as {@code milligram} or {@code
 *     percent}; the characters of a code; empty if there is none
 */
public record NumberValue(NumberKind kind, List<BigDecimal> numbers, String unit) {
  public NumberValue {
    numbers = numbers.stream().map(NumberValue::canonical).toList();
  }

  /** A number without a unit. */
  static NumberValue of(BigDecimal number) {
    return new NumberValue(NumberKind.NUMBER, List.of(number), "");
  }

  /** Parts of whole numbers. */
  static NumberValue of(NumberKind kind, int... parts) {
    return new NumberValue(kind, Arrays.stream(parts).mapToObj(BigDecimal::valueOf).toList(), "");
  }

  static NumberValue code(String text) {
    return new NumberValue(NumberKind.CODE, List.of(), text);
  }

  /** The form of a number in which equal numbers are equal objects. */
  static BigDecimal canonical(BigDecimal number) {
    return number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
  }
}
