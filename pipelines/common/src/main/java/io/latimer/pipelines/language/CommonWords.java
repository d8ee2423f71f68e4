package io.latimer.pipelines.language;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of a text by which its language is told. Names, titles and abbreviations are the same
 * in many languages, and identifiers of programs are in none.
 */
final class CommonWords {
  /** So many characters say all there is to say. */
  private static final int MOST_CHARS = 400;

  /** A run without white space: what is before the letters, letters, what follows. */
  private static final Pattern RUN =
      Pattern.compile("([^\\s\\p{L}]*+)([\\p{L}\\p{M}'’-]*+)([^\\s\\p{L}]*+)(\\S*+)");

  private static final String SENTENCE_ENDS = ".!?:;…";

  private CommonWords() {}

  /**
   * The words, separated by spaces: those of letters only that begin with a small letter, begin a
   * sentence, or are in a text of capitals.
   */
  static String of(String text) {
    boolean capitals = isOfCapitals(text);
    StringBuilder words = new StringBuilder();
    boolean starts = true;
    Matcher run = RUN.matcher(text);
    while (words.length() < MOST_CHARS && run.find()) {
      String word = run.group(2);
      if (run.group().isEmpty()) {
        starts |= isLineBreak(text, run.start());
        continue;
      }
      boolean ofLetters = !word.isEmpty() && run.group(4).isEmpty() && !hasDigit(run.group());
      if (ofLetters && (capitals || isCommon(word, starts))) {
        words.append(word).append(' ');
      }
      starts = SENTENCE_ENDS.indexOf(run.group().charAt(run.group().length() - 1)) >= 0;
    }
    return words.toString();
  }

  private static boolean isLineBreak(String text, int at) {
    return at < text.length() && (text.charAt(at) == '\n' || text.charAt(at) == '\r');
  }

  /** Not {@code Name}, {@code NASA} or {@code camelCase}. */
  private static boolean isCommon(String word, boolean starts) {
    int first = word.codePointAt(0);
    return (starts || !Character.isUpperCase(first))
        && word.codePoints().skip(1).noneMatch(Character::isUpperCase);
  }

  private static boolean hasDigit(String run) {
    return run.codePoints().anyMatch(c -> Character.isDigit(c) || c == '_');
  }

  private static boolean isOfCapitals(String text) {
    return text.codePoints().noneMatch(Character::isLowerCase);
  }
}
