package io.latimer.operators.text;

import java.util.Objects;

/**
 * A part of a sentence that the model does not see, and what the translation has in its place.
 *
 * @param start its offset, in UTF-16 units
 * @param end exclusive
 * @param target its text in the translation
 */
public record KeptSpan(int start, int end, String target) {
  public KeptSpan {
    Objects.requireNonNull(target, "target");
    if (start < 0 || end <= start) {
      throw new IllegalArgumentException("invalid span: " + start + " to " + end);
    }
  }

  /** A part of a text that the translation has unchanged. */
  static KeptSpan of(String text, int start, int end) {
    return new KeptSpan(start, end, text.substring(start, end));
  }
}
