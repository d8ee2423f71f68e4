package io.latimer.operators.text.numbers;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;

/** Numbers as tests write them. */
final class Values {
  private Values() {}

  /** Texts and values: {@code 5 mg = NUMBER 5 milligram; A4 = CODE}. */
  static String describe(List<NumberSpan> spans) {
    return spans.stream()
        .map(span -> span.text() + " = " + describe(span.value()))
        .collect(Collectors.joining("; "));
  }

  static String describe(NumberValue value) {
    String numbers =
        value.numbers().stream().map(BigDecimal::toPlainString).collect(Collectors.joining(" "));
    String unit = value.kind() == NumberKind.CODE ? "" : value.unit();
    return (value.kind() + " " + numbers + " " + unit).strip();
  }

  static List<String> texts(List<NumberSpan> spans) {
    return spans.stream().map(NumberSpan::text).toList();
  }
}
