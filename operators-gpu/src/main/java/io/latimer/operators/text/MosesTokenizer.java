package io.latimer.operators.text;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Separates words and punctuation by the rules that Moses published (Koehn et al., 2007), on which
 * most models of the WMT years were trained.
 */
final class MosesTokenizer {
  private static final Pattern HYPHEN =
      Pattern.compile("(?<=[\\p{L}\\p{M}\\p{N}])-(?=[\\p{L}\\p{M}\\p{N}])");
  private static final Pattern DOTS = Pattern.compile("\\.{2,}+");
  private static final Pattern LETTER = Pattern.compile("[\\p{L}\\p{M}]");

  private static final Pattern ENGLISH_APART =
      Pattern.compile(
          "(?<![\\p{L}\\p{M}])'(?![\\p{L}\\p{M}])|(?<![\\p{L}\\p{M}\\p{N}])'"
              + "|(?<=[\\p{L}\\p{M}])'(?![\\p{L}\\p{M}])");
  private static final Pattern ENGLISH_RIGHT =
      Pattern.compile("(?<=[\\p{L}\\p{M}])'(?=[\\p{L}\\p{M}])|(?<=\\p{N})'(?=s)");
  private static final Pattern ROMANCE_APART =
      Pattern.compile("(?<![\\p{L}\\p{M}])'|'(?![\\p{L}\\p{M}])");
  private static final Pattern ROMANCE_LEFT =
      Pattern.compile("(?<=[\\p{L}\\p{M}])'(?=[\\p{L}\\p{M}])");

  /** Unicode's general categories of numbers, one bit each. */
  private static final int NUMBERS =
      1 << Character.DECIMAL_DIGIT_NUMBER
          | 1 << Character.LETTER_NUMBER
          | 1 << Character.OTHER_NUMBER;

  private static final int LETTERS_MARKS_NUMBERS =
      NUMBERS
          | 1 << Character.UPPERCASE_LETTER
          | 1 << Character.LOWERCASE_LETTER
          | 1 << Character.TITLECASE_LETTER
          | 1 << Character.MODIFIER_LETTER
          | 1 << Character.OTHER_LETTER
          | 1 << Character.NON_SPACING_MARK
          | 1 << Character.ENCLOSING_MARK
          | 1 << Character.COMBINING_SPACING_MARK;

  /** Languages that keep an article's or pronoun's apostrophe with the preceding word. */
  private static final Set<String> ROMANCE = Set.of("fr", "it", "ga", "ca");

  /**
   * Words that keep their full stop; those that do so only before a number are listed separately.
   */
  private static final Map<String, Set<String>> KEEP_DOT =
      Map.of(
          "en",
          Set.of(
              "Adj", "Adm", "Adv", "Asst", "Bart", "Bldg", "Brig", "Bros", "Capt", "Cmdr", "Col",
              "Comdr", "Con", "Corp", "Cpl", "DR", "Dr", "Drs", "Ens", "Gen", "Gov", "Hon", "Hr",
              "Hosp", "Insp", "Lt", "MM", "MR", "MRS", "MS", "Maj", "Messrs", "Mlle", "Mme", "Mr",
              "Mrs", "Ms", "Msgr", "Op", "Ord", "Pfc", "Ph", "Prof", "Pvt", "Rep", "Reps", "Res",
              "Rev", "Rt", "Sen", "Sens", "Sfc", "Sgt", "Sr", "St", "Supt", "Surg", "v", "vs",
              "i.e", "rev", "e.g", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept",
              "Oct", "Nov", "Dec"),
          "de",
          Set.of(
              "Adj", "Adm", "Adv", "Art", "Asst", "Bart", "Bldg", "Brig", "Bros", "Capt", "Cmdr",
              "Col", "Comdr", "Con", "Corp", "Cpl", "DR", "Dr", "Ens", "Gen", "Gov", "Hon", "Hosp",
              "Insp", "Lt", "MM", "MR", "MRS", "MS", "Maj", "Messrs", "Mlle", "Mme", "Mr", "Mrs",
              "Ms", "Msgr", "Op", "Ord", "Pfc", "Ph", "Prof", "Pvt", "Rep", "Reps", "Res", "Rev",
              "Rt", "Sen", "Sens", "Sfc", "Sgt", "Sr", "St", "Supt", "Surg", "Mio", "Mrd", "bzw",
              "v", "vs", "usw", "d.h", "z.B", "u.a", "etc", "MwSt", "ggf", "d.J", "D.h", "m.E",
              "vgl", "I.F", "z.T", "sogen", "ff", "u.E", "g.U", "g.g.A", "c.-à-d", "Buchst",
              "u.s.w", "sog", "u.ä", "Std", "evtl", "Zt", "Chr", "u.U", "o.ä", "Ltd", "b.A", "z.Zt",
              "spp", "sen", "SA", "k.o", "jun", "i.H.v", "dgl", "dergl", "Co", "zzt", "usf",
              "s.p.a", "Dkr", "bzgl", "BSE", "No", "Nos", "ca", "Ca", "Nr", "Hr", "Fr", "Str",
              "Tel"));

  private static final Map<String, Set<String>> KEEP_DOT_BEFORE_NUMBER =
      Map.of("en", Set.of("No", "Nos", "Art", "Nr", "pp"), "de", Set.of("Bd", "S", "Kap"));

  private static final Set<String> GERMAN_MONTHS =
      Set.of(
          "Januar",
          "Februar",
          "März",
          "April",
          "Mai",
          "Juni",
          "Juli",
          "August",
          "September",
          "Oktober",
          "November",
          "Dezember");

  private final String language;
  private final boolean escape;
  private final Set<String> keepDot;
  private final Set<String> keepDotBeforeNumber;

  MosesTokenizer(String languageTag, boolean escape) {
    this.language = Locale.forLanguageTag(languageTag).getLanguage();
    this.escape = escape;
    this.keepDot = KEEP_DOT.getOrDefault(language, Set.of());
    this.keepDotBeforeNumber = KEEP_DOT_BEFORE_NUMBER.getOrDefault(language, Set.of());
  }

  /**
   * Tokenizes a sentence.
   *
   * @param aggressive whether a hyphen between letters or digits becomes {@code @-@}
   * @return the tokens, separated by single spaces
   */
  String tokenize(String sentence, boolean aggressive) {
    boolean colonInside = language.equals("fi") || language.equals("sv");
    String text = separate(sentence, colonInside);
    if (aggressive && text.indexOf('-') >= 0) {
      text = HYPHEN.matcher(text).replaceAll(" @-@ ");
    }
    if (text.contains("..")) {
      text = DOTS.matcher(text).replaceAll(" $0 ");
    }
    text = commas(text);
    text = apostrophes(text);
    text = fullStops(WhitespaceSegmenter.words(text));
    return escape ? escape(text) : text;
  }

  /** Adds spaces around everything other than letters, numbers and {@code . ' ` , -}. */
  static String separate(String text, boolean colonInside) {
    StringBuilder parted = null;
    int done = 0;
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      int end = at + Character.charCount(c);
      if (isSeparate(c) && !(colonInside && c == ':')) {
        parted = parted == null ? new StringBuilder(text.length() + 16) : parted;
        parted.append(text, done, at).append(' ').append(text, at, end).append(' ');
        done = end;
      }
      at = end;
    }
    return parted == null ? text : parted.append(text, done, text.length()).toString();
  }

  private static boolean isSeparate(int c) {
    if (c < 0x80) {
      boolean letterOrDigit = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
      boolean space = c == ' ' || (c >= '\t' && c <= '\r');
      return !letterOrDigit && !space && ".'`,-".indexOf(c) < 0;
    }
    return (LETTERS_MARKS_NUMBERS >> Character.getType(c) & 1) == 0;
  }

  /** Adds spaces around commas that are not between two numbers. */
  static String commas(String text) {
    int comma = text.indexOf(',');
    if (comma < 0) {
      return text;
    }
    StringBuilder parted = new StringBuilder(text.length() + 16);
    int done = 0;
    for (; comma >= 0; comma = text.indexOf(',', comma + 1)) {
      // A number of two chars before the comma does not count, as in the look-behind of regular
      // expressions.
      boolean inside =
          comma > 0
              && comma + 1 < text.length()
              && isNumber(text.charAt(comma - 1))
              && isNumber(text.codePointAt(comma + 1));
      if (!inside) {
        parted.append(text, done, comma).append(" , ");
        done = comma + 1;
      }
    }
    return parted.append(text, done, text.length()).toString();
  }

  private static boolean isNumber(int c) {
    return (NUMBERS >> Character.getType(c) & 1) != 0;
  }

  private String apostrophes(String text) {
    if (text.indexOf('\'') < 0) {
      return text;
    }
    if (language.equals("en")) {
      String apart = ENGLISH_APART.matcher(text).replaceAll(" ' ");
      return ENGLISH_RIGHT.matcher(apart).replaceAll(" '");
    }
    if (ROMANCE.contains(language)) {
      String apart = ROMANCE_APART.matcher(text).replaceAll(" ' ");
      return ROMANCE_LEFT.matcher(apart).replaceAll("' ");
    }
    return text.replace("'", " ' ");
  }

  private String fullStops(List<String> words) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (i > 0) {
        text.append(' ');
      }
      boolean ends = word.length() > 1 && word.endsWith(".") && !word.endsWith("..");
      if (ends
          && !keepsDot(
              word.substring(0, word.length() - 1), i + 1 < words.size() ? words.get(i + 1) : "")) {
        text.append(word, 0, word.length() - 1).append(" .");
      } else {
        text.append(word);
      }
    }
    return text.toString();
  }

  private boolean keepsDot(String word, String next) {
    boolean abbreviation = word.indexOf('.') >= 0 && LETTER.matcher(word).find();
    boolean initial =
        word.length() == 1 && Character.isUpperCase(word.charAt(0)) && !keepDot.isEmpty();
    if (abbreviation || initial || keepDot.contains(word)) {
      return true;
    }
    if (next.isEmpty()) {
      return false;
    }
    boolean ordinal =
        language.equals("de")
            && word.chars().allMatch(c -> c >= '0' && c <= '9')
            && GERMAN_MONTHS.contains(next);
    return ordinal
        || Character.isLowerCase(next.codePointAt(0))
        || (keepDotBeforeNumber.contains(word) && Character.isDigit(next.charAt(0)));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("|", "&#124;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("'", "&apos;")
        .replace("\"", "&quot;")
        .replace("[", "&#91;")
        .replace("]", "&#93;");
  }

  /** Undoes the escaping; the ampersand last, so that it undoes one level only. */
  static String unescape(String text) {
    if (text.indexOf('&') < 0) {
      return text;
    }
    return text.replace("&bar;", "|")
        .replace("&#124;", "|")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&bra;", "[")
        .replace("&ket;", "]")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#91;", "[")
        .replace("&#93;", "]")
        .replace("&amp;", "&");
  }
}
