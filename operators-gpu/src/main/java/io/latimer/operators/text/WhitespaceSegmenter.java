package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Treats words as tokens: for models with a vocabulary of whole words, or input segmented
 * elsewhere.
 */
public final class WhitespaceSegmenter implements Segmenter {

  @Override
  public List<String> segment(String line) {
    return words(line);
  }

  @Override
  public String join(List<String> tokens) {
    return String.join(" ", tokens);
  }

  @Override
  public List<String> surfaces(List<String> tokens) {
    return tokens;
  }

  @Override
  public boolean startsWord(String before, String token) {
    return true;
  }

  /** Splits at runs of whitespace, including no-break spaces. */
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    int start = wordStart(line, 0);
    while (start < line.length()) {
      int end = wordEnd(line, start);
      words.add(line.substring(start, end));
      start = wordStart(line, end);
    }
    return words;
  }

  /** The start of the next word at or after a position; the line's length if there is none. */
  static int wordStart(String line, int from) {
    int at = from;
    while (at < line.length() && isSpace(line.charAt(at))) {
      at++;
    }
    return at;
  }

  /** The end of the word at a position. */
  static int wordEnd(String line, int from) {
    int at = from;
    while (at < line.length() && !isSpace(line.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Whether a character separates words: Unicode's whitespace, including no-break spaces. */
  static boolean isSpace(char c) {
    if (c < 0x80) {
      return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
    }
    return Character.isWhitespace(c) || Character.isSpaceChar(c);
  }
}
