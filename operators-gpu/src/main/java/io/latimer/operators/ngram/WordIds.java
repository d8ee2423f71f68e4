package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A dictionary that grows: a word's id is its place in the order in which words first came. */
public final class WordIds {
  private final Map<String, Integer> ids = new HashMap<>();
  private final List<String> words = new ArrayList<>();

  /** How many words there are. */
  public int size() {
    return words.size();
  }

  /** The id of a word, a new one if it has none yet. */
  public int id(String word) {
    Integer known = ids.get(word);
    if (known != null) {
      return known;
    }
    int made = words.size();
    ids.put(word, made);
    words.add(word);
    return made;
  }

  /**
   * The word of an id.
   *
   * @throws OperatorException if there is none
   */
  public String word(int id) {
    if (id < 0 || id >= words.size()) {
      throw new OperatorException("there is no word " + id + ", only " + words.size());
    }
    return words.get(id);
  }

  /** The words by their ids; a copy. */
  public List<String> words() {
    return List.copyOf(words);
  }

  /** The ids of the words of a sentence, which are split as {@link #split} does. */
  public int[] ids(String sentence) {
    List<String> parts = split(sentence);
    int[] out = new int[parts.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = id(parts.get(i));
    }
    return out;
  }

  /**
   * Splits at NUL, tab, line feed, vertical tab, form feed, carriage return and space, as KenLM
   * does.
   */
  public static List<String> split(String sentence) {
    List<String> parts = new ArrayList<>();
    int start = -1;
    for (int i = 0; i <= sentence.length(); i++) {
      boolean space = i == sentence.length() || isSpace(sentence.charAt(i));
      if (space && start >= 0) {
        parts.add(sentence.substring(start, i));
        start = -1;
      } else if (!space && start < 0) {
        start = i;
      }
    }
    return parts;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == 0 || (c >= '\t' && c <= '\r');
  }
}
