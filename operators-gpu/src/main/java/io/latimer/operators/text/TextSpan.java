package io.latimer.operators.text;

/**
 * A stretch of a text, in Unicode code points; or {@link #NONE}.
 *
 * @param start the first code point, from 0
 * @param end behind the last, above {@code start}
 */
public record TextSpan(int start, int end) {
  /** Of what stands for no character of the text. */
  public static final TextSpan NONE = new TextSpan(-1, -1);

  public TextSpan {
    if (start == -1 ? end != -1 : start < 0 || end <= start) {
      throw new IllegalArgumentException("no span: " + start + " to " + end);
    }
  }

  /** Whether there is any character. */
  public boolean exists() {
    return start >= 0;
  }

  /** The same stretch of a text with so many more code points before it. */
  public TextSpan moved(int by) {
    return exists() ? new TextSpan(start + by, end + by) : this;
  }
}
