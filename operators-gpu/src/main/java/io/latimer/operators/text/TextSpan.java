package io.latimer.operators.text;

/**
 * A span of a text in Unicode code points; or {@link #NONE}.
 *
 * @param start the first code point, from 0
 * @param end exclusive, above {@code start}
 */
public record TextSpan(int start, int end) {
  /** The span of a token without characters in the text. */
  public static final TextSpan NONE = new TextSpan(-1, -1);

  public TextSpan {
    if (start == -1 ? end != -1 : start < 0 || end <= start) {
      throw new IllegalArgumentException("invalid span: " + start + " to " + end);
    }
  }

  /** The length of a text in code points. */
  static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** Whether it has any characters. */
  public boolean exists() {
    return start >= 0;
  }

  /** The characters of the span in its text; empty if it has none. */
  public String of(String text) {
    if (!exists()) {
      return "";
    }
    int from = text.offsetByCodePoints(0, start);
    return text.substring(from, text.offsetByCodePoints(from, end - start));
  }

  /** The span shifted by a number of code points. */
  public TextSpan moved(int by) {
    return exists() ? new TextSpan(start + by, end + by) : this;
  }
}
