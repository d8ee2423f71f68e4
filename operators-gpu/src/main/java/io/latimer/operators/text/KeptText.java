package io.latimer.operators.text;

import java.util.List;
import java.util.function.Function;

/**
 * What a mark in a prepared sentence stands for.
 *
 * @param source its text in the source
 * @param target its text in the translation
 */
record KeptText(String source, String target) {
  /**
   * Replaces the marks of a text.
   *
   * @param kept one per mark; empty if marks are ordinary characters
   * @param side what of each to put in, such as {@link #source} or {@link #target}
   */
  static <T> String resolve(String text, List<T> kept, Function<T, String> side) {
    if (kept.isEmpty()) {
      return text;
    }
    StringBuilder resolved = new StringBuilder();
    int next = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean mark = Masks.isMark(c) && next < kept.size();
      resolved.append(mark ? side.apply(kept.get(next++)) : String.valueOf(c));
    }
    return resolved.toString();
  }
}
