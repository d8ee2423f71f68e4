package io.latimer.operators.nmt;

import io.latimer.operators.text.SourceSentence;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/** What a translated sentence looks like that is probably wrong. */
final class OutputDoubts {
  /** Shorter sentences may well differ much in length. */
  private static final int LEAST_CHARS = 24;

  /** Fewer words may well be names. */
  private static final int LEAST_WORDS = 4;

  /** Words that are repeated together. */
  private static final int LONGEST_UNIT = 12;

  /** So often in a row is no style; but single words must come once more ("no, no, no"). */
  private static final int REPEATED = 3;

  private static final Pattern NOT_WORDS = Pattern.compile("[\\s\\p{Punct}]+");

  private OutputDoubts() {}

  /**
   * The doubts.
   *
   * @param line the translation
   */
  static Set<TranslationFlag> of(SourceSentence sentence, String line) {
    Set<TranslationFlag> doubts = EnumSet.noneOf(TranslationFlag.class);
    String source = sentence.raw();
    if (line.length() > 2 * Math.max(source.length(), LEAST_CHARS)) {
      doubts.add(TranslationFlag.TOO_LONG);
    }
    if (source.length() >= LEAST_CHARS && 3 * line.length() < source.length()) {
      doubts.add(TranslationFlag.TOO_SHORT);
    }
    boolean sameLanguage = sentence.sourceLanguage().equals(sentence.targetLanguage());
    String[] words = words(line);
    if (!sameLanguage && line.equalsIgnoreCase(source) && words.length >= LEAST_WORDS) {
      doubts.add(TranslationFlag.COPIED);
    }
    if (loops(words) && !loops(words(source))) {
      doubts.add(TranslationFlag.LOOP);
    }
    return doubts;
  }

  private static String[] words(String text) {
    return NOT_WORDS.split(text.strip());
  }

  /** Whether some words follow themselves, in time that grows with their number. */
  private static boolean loops(String[] words) {
    for (int unit = 1; unit <= Math.min(LONGEST_UNIT, words.length / REPEATED); unit++) {
      int repeated = unit == 1 ? REPEATED + 1 : REPEATED;
      int same = 0; // words that equal the one a unit before
      for (int i = unit; i < words.length; i++) {
        same = words[i].equalsIgnoreCase(words[i - unit]) ? same + 1 : 0;
        if (same >= (repeated - 1) * unit) {
          return true;
        }
      }
    }
    return false;
  }
}
