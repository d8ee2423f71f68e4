package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.List;

/**
 * The words of a raw text, for links between texts: the maximal runs of characters other than
 * whitespace, counted from 0. Whitespace is U+0009 to U+000D, U+001C to U+0020, U+0085, U+00A0,
 * U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000: the same as in Python's
 * {@code str.split()}.
 */
public final class TextWords {
  /** For each code point, the number of words that start at or before it. */
  private final int[] started;

  private TextWords(int[] started) {
    this.started = started;
  }

  /** Counts the words of a text. */
  public static TextWords of(String text) {
    int[] started = text.codePoints().toArray();
    int words = 0;
    boolean inside = false;
    for (int i = 0; i < started.length; i++) {
      boolean space = isSpace(started[i]);
      words += !space && !inside ? 1 : 0;
      inside = !space;
      started[i] = words;
    }
    return new TextWords(started);
  }

  /** The words of a text, in order; may be empty. */
  public static List<String> list(String text) {
    List<String> words = new ArrayList<>();
    int start = 0;
    for (int at = 0; at <= text.length(); at++) {
      if (at == text.length() || isSpace(text.charAt(at))) { // no space is a pair of surrogates
        if (at > start) {
          words.add(text.substring(start, at));
        }
        start = at + 1;
      }
    }
    return words;
  }

  /** Whether a character is whitespace, and so between words. */
  public static boolean isSpace(int codePoint) {
    boolean printed = codePoint > ' ' && codePoint < 0x7F; // most characters
    return !printed
        && (Character.isWhitespace(codePoint)
            || Character.isSpaceChar(codePoint)
            || codePoint == 0x85);
  }

  /** Number of words in the text. */
  public int count() {
    return started.length == 0 ? 0 : started[started.length - 1];
  }

  /** The word in which a span starts; -1 for {@link TextSpan#NONE}. */
  public int wordOf(TextSpan span) {
    return span.exists() ? started[span.start()] - 1 : -1;
  }
}
