package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.util.Locale;

/** A table in Markdown, and the format of its measurements. */
final class Markdown {
  static final String NONE = "-";

  private final StringBuilder text = new StringBuilder();

  Markdown paragraph(String words) {
    text.append(words).append("\n\n");
    return this;
  }

  Markdown header(String... names) {
    row(names);
    text.append('|').append("---|".repeat(names.length)).append('\n');
    return this;
  }

  Markdown row(String... cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    return this;
  }

  Markdown end() {
    text.append('\n');
    return this;
  }

  /**
   * The median of a field, plus minimum to maximum if the line has them; in units of {@code unit}.
   */
  static String spread(Line line, String field, double unit) {
    if (line == null) {
      return NONE;
    }
    String median = number(line.number(field) / unit);
    if (line.text(field + "_min").isEmpty()) {
      return median;
    }
    return median
        + " ("
        + number(line.number(field + "_min") / unit)
        + " to "
        + number(line.number(field + "_max") / unit)
        + ")";
  }

  /** Three significant digits, but always all digits before the decimal point. */
  static String number(double value) {
    int digits = value == 0 ? 0 : (int) Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
    return String.format(Locale.ROOT, "%,." + digits + "f", value);
  }

  static String count(Line line, String field) {
    return String.format(Locale.ROOT, "%,.0f", line.number(field));
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
