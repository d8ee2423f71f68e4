package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.Utf8;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Restores the usual case of a sentence's first word with a Moses truecase model, which has one
 * line {@code Word (count/total) word (count)...} per word, most frequent form first.
 *
 * @param best the most frequent form of each word, by its lower case
 * @param known all forms
 */
record Truecaser(Map<String, String> best, Set<String> known) {
  private static final Set<String> SENTENCE_END = Set.of(".", ":", "?", "!");
  private static final Set<String> TRANSPARENT =
      Set.of("(", "[", "\"", "'", "&apos;", "&quot;", "&#91;", "&#93;");

  /**
   * Reads a model.
   *
   * @throws OperatorException naming the file and the invalid line
   */
  static Truecaser of(byte[] model, String name) {
    String text = Utf8.decode(ByteBuffer.wrap(model));
    if (text == null) {
      throw new OperatorException(name + ": byte " + Utf8.firstError(model) + " is not UTF-8");
    }
    Map<String, String> best = new HashMap<>();
    Set<String> known = new HashSet<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      List<String> words = WhitespaceSegmenter.words(line);
      if (words.isEmpty()) {
        continue;
      }
      if (words.size() % 2 != 0 || !words.get(1).startsWith("(")) {
        throw new OperatorException(
            name
                + ", line "
                + number
                + ": expected words, each with its count in brackets, found \""
                + line
                + "\"");
      }
      best.putIfAbsent(lower(words.get(0)), words.get(0));
      for (int i = 0; i < words.size(); i += 2) {
        known.add(words.get(i));
      }
    }
    return new Truecaser(best, known);
  }

  /**
   * Truecases tokens separated by spaces.
   *
   * @param startsSentence whether the line starts a sentence
   */
  String truecase(String line, boolean startsSentence) {
    boolean start = startsSentence;
    StringBuilder text = new StringBuilder();
    for (String word : WhitespaceSegmenter.words(line)) {
      String usual = best.get(lower(word));
      boolean keep = usual == null || (!start && known.contains(word));
      text.append(text.isEmpty() ? "" : " ").append(keep ? word : usual);
      if (SENTENCE_END.contains(word)) {
        start = true;
      } else if (!TRANSPARENT.contains(word)) {
        start = false;
      }
    }
    return text.toString();
  }

  /** Capitalizes the first letter of a sentence, skipping leading quotes and brackets. */
  static String restore(String line) {
    int at = 0;
    while (at < line.length()) {
      int c = line.codePointAt(at);
      if (line.startsWith("&", at)) {
        int end = line.indexOf(';', at);
        at = end < 0 ? at + 1 : end + 1;
        continue;
      }
      if (Character.isLetter(c)) {
        String capital = Character.toString(Character.toTitleCase(c));
        return line.substring(0, at) + capital + line.substring(at + Character.charCount(c));
      }
      if (Character.isDigit(c) || Masks.isMark(c)) {
        return line;
      }
      at += Character.charCount(c);
    }
    return line;
  }

  private static String lower(String word) {
    return word.toLowerCase(Locale.ROOT);
  }
}
