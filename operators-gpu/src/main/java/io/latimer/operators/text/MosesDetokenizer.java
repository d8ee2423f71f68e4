package io.latimer.operators.text;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Detokenizes by the rules that Moses published. */
final class MosesDetokenizer {
  private static final Pattern OPENING = Pattern.compile("[\\p{Sc}(\\[{¿¡]+");
  private static final Pattern CLOSING = Pattern.compile("[,.?!:;\\\\%}\\])…]+");
  private static final Pattern FRENCH_SPACED = Pattern.compile("[?!:;\\\\%]");
  private static final Pattern QUOTES = Pattern.compile("['\"„“”`]+");
  private static final Pattern LETTER_OR_NUMBER_END = Pattern.compile(".*[\\p{L}\\p{M}\\p{N}]");
  private static final Pattern CONTRACTION = Pattern.compile("'[\\p{L}\\p{M}].*");
  private static final Pattern ELISION = Pattern.compile(".*[\\p{L}\\p{M}]'");

  private static final Set<String> WITHOUT_SPACES = Set.of("zh", "ja", "th", "lo", "km", "my");
  private static final Set<String> ELIDING = Set.of("fr", "it", "ga", "ca");

  private final String language;

  MosesDetokenizer(String languageTag) {
    this.language = Locale.forLanguageTag(languageTag).getLanguage();
  }

  /** Whether sentences of the language are joined without a space. */
  boolean writesWithoutSpaces() {
    return WITHOUT_SPACES.contains(language);
  }

  /**
   * Joins tokens.
   *
   * @param line tokens separated by spaces, with Moses' entities
   */
  String detokenize(String line) {
    List<String> words =
        WhitespaceSegmenter.words(MosesTokenizer.unescape(line.replace(" @-@ ", "-")));
    StringBuilder text = new StringBuilder();
    String space = "";
    int single = 0;
    int twofold = 0;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (isOrdinary(word)) {
        text.append(space).append(word);
        space = " ";
        continue;
      }
      String before = i > 0 ? words.get(i - 1) : "";
      String after = i + 1 < words.size() ? words.get(i + 1) : "";
      if (isWide(word) && (i == 0 || isWide(before))) {
        text.append(word);
        space = " ";
      } else if (OPENING.matcher(word).matches()) {
        text.append(space).append(word);
        space = "";
      } else if (CLOSING.matcher(word).matches()) {
        boolean spaced = language.equals("fr") && FRENCH_SPACED.matcher(word).matches();
        text.append(spaced ? "\u00A0" : "").append(word);
        space = " ";
      } else if (isEnglishContraction(word, before)) {
        text.append(word);
        space = " ";
      } else if (ELIDING.contains(language)
          && ELISION.matcher(word).matches()
          && !after.isEmpty()
          && Character.isLetter(after.codePointAt(0))) {
        text.append(space).append(word);
        space = "";
      } else if (QUOTES.matcher(word).matches()) {
        boolean possessive =
            language.equals("en") && word.equals("'") && single % 2 == 0 && before.endsWith("s");
        boolean isSingle = word.equals("'");
        boolean opens = (isSingle ? single : twofold) % 2 == 0;
        if (possessive) {
          text.append(word);
          space = " ";
          continue;
        }
        if (isSingle) {
          single++;
        } else {
          twofold++;
        }
        text.append(opens ? space : "").append(word);
        space = opens ? "" : " ";
      } else {
        text.append(space).append(word);
        space = " ";
      }
    }
    return text.toString().strip();
  }

  /**
   * Whether a word certainly never attaches to another: it starts with a Latin letter or a digit
   * and does not end in an apostrophe.
   */
  static boolean isOrdinary(String word) {
    char first = word.charAt(0);
    return first < 0x250 && Character.isLetterOrDigit(first) && !word.endsWith("'");
  }

  /** Whether a word may attach to another, in any language. */
  static boolean isSpecial(String word) {
    return isWide(word)
        || OPENING.matcher(word).matches()
        || CLOSING.matcher(word).matches()
        || CONTRACTION.matcher(word).matches()
        || ELISION.matcher(word).matches()
        || QUOTES.matcher(word).matches();
  }

  private boolean isEnglishContraction(String word, String before) {
    return language.equals("en")
        && CONTRACTION.matcher(word).matches()
        && LETTER_OR_NUMBER_END.matcher(before).matches();
  }

  private static boolean isWide(String word) {
    if (word.isEmpty()) {
      return false;
    }
    Character.UnicodeScript script = Character.UnicodeScript.of(word.codePointAt(0));
    return script == Character.UnicodeScript.HAN
        || script == Character.UnicodeScript.HIRAGANA
        || script == Character.UnicodeScript.KATAKANA;
  }
}
