package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.List;

/** Words are tokens: for models with a vocabulary of whole words, or input segmented elsewhere. */
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

  /** Parts at runs of whitespace, the no-break spaces included. */
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    int start = -1;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      boolean space = Character.isWhitespace(c) || Character.isSpaceChar(c);
      if (space && start >= 0) {
        words.add(line.substring(start, i));
        start = -1;
      } else if (!space && start < 0) {
        start = i;
      }
    }
    if (start >= 0) {
      words.add(line.substring(start));
    }
    return words;
  }
}
