package io.latimer.operators.text.numbers;

import com.ibm.icu.text.RuleBasedNumberFormat;
import com.ibm.icu.util.ULocale;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The number words of a language: all that ICU's rules spell for 0 to 999 and for years, in every
 * gender and case, and the words for powers of ten.
 */
final class WordLexicon {
  /**
   * A number word.
   *
   * @param isScale whether it multiplies the number before it
   */
  record Word(long value, boolean isScale, boolean isOrdinal) {}

  private static final long[] POWERS = {
    100L,
    1_000L,
    10_000L,
    100_000L,
    1_000_000L,
    10_000_000L,
    100_000_000L,
    1_000_000_000L,
    1_000_000_000_000L,
    1_000_000_000_000_000L
  };
  private static final int[] FACTORS = {1, 2, 3, 5, 11, 21, 100};
  private static final int FIRST_YEAR = 1100;
  private static final int LAST_YEAR = 2099;

  private final Map<String, Word> words = new LinkedHashMap<>();
  private final Map<Integer, Set<String>> factors = new LinkedHashMap<>();
  private final RuleBasedNumberFormat rules;

  private WordLexicon(RuleBasedNumberFormat rules) {
    this.rules = rules;
  }

  /** The words of a language; none where ICU has no rules. */
  static Lexicon<Word> of(ULocale locale) {
    RuleBasedNumberFormat rules = new RuleBasedNumberFormat(locale, RuleBasedNumberFormat.SPELLOUT);
    WordLexicon lexicon = new WordLexicon(rules);
    if (hasDigits(rules.format(3))) {
      return null;
    }
    for (String set : rules.getRuleSetNames()) {
      if (set.startsWith("%spellout") && !set.contains("ordinal")) {
        lexicon.small(set, false);
      }
    }
    for (String set : rules.getRuleSetNames()) {
      if (set.startsWith("%spellout") && set.contains("ordinal")) {
        lexicon.small(set, true);
      }
    }
    for (String set : rules.getRuleSetNames()) {
      if (set.startsWith("%spellout")) {
        lexicon.scales(set, set.contains("ordinal"));
      }
    }
    return new Lexicon<>(lexicon.words, true);
  }

  private static boolean hasDigits(String text) {
    return text.chars().anyMatch(c -> Chars.isDigit((char) c));
  }

  private void small(String set, boolean ordinal) {
    for (int i = 0; i < 1000; i++) {
      add(rules.format(i, set), new Word(i, false, ordinal));
    }
    if (set.endsWith("-year")) {
      for (int year = FIRST_YEAR; year <= LAST_YEAR; year++) {
        String text = rules.format(year, set);
        if (!text.startsWith(rules.format(year - year % 1000, set))) {
          add(text, new Word(year, false, false));
        }
      }
    }
    for (int factor : FACTORS) {
      factors.computeIfAbsent(factor, k -> new HashSet<>()).add(rules.format(factor, set));
    }
  }

  private void scales(String set, boolean ordinal) {
    for (long power : POWERS) {
      for (int factor : FACTORS) {
        String text = rules.format(factor * power, set);
        String rest = afterFactor(text, factor);
        if (rest != null) {
          words.put(spelling(rest), new Word(power, true, ordinal));
          addVariants(rest, new Word(power, true, ordinal));
        } else if (factor == 1) {
          addIfScale(text, new Word(power, true, ordinal));
        }
      }
    }
  }

  private void addIfScale(String text, Word word) {
    if (word.value == 100 || !words.containsKey(spelling(text))) {
      words.put(spelling(text), word);
      addVariants(text, word);
    }
  }

  /** What follows the words of a factor; null if they are not at the start. */
  private String afterFactor(String text, int factor) {
    String longest = null;
    for (String start : factors.get(factor)) {
      boolean is = text.length() > start.length() && text.startsWith(start);
      if (is && (longest == null || start.length() > longest.length())) {
        longest = start;
      }
    }
    String rest = longest == null ? "" : spelling(text.substring(longest.length()));
    boolean known = words.containsKey(rest) && !words.get(rest).isScale;
    return rest.isEmpty() || known || !Character.isLetter(rest.charAt(0)) ? null : rest;
  }

  private void add(String text, Word word) {
    if (!hasDigits(text)) {
      words.putIfAbsent(spelling(text), word);
      addVariants(text, word);
    }
  }

  /** What others write for a letter that not all keyboards have. */
  private void addVariants(String text, Word word) {
    if (text.indexOf('ß') >= 0) {
      words.putIfAbsent(spelling(text.replace("ß", "ss")), word);
    }
    if (text.indexOf('ё') >= 0) {
      words.putIfAbsent(spelling(text.replace('ё', 'е')), word);
    }
  }

  private static String spelling(String text) {
    return text.replace("\u00AD", "").replace('-', ' ').strip().toLowerCase(Locale.ROOT);
  }
}
