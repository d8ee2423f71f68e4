package io.latimer.operators.text;

import com.ibm.icu.text.BreakIterator;
import com.ibm.icu.util.ULocale;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Splits a text into sentences: always at line breaks, and inside a line by Unicode's rules (UAX
 * 29, ICU), but not after an abbreviation, an initial or a German ordinal.
 *
 * <p>ICU's own filter for abbreviations is not used: it compares the ends of words, so that with
 * CLDR's German list no sentence could end in a word that ends in r.
 */
public final class SentenceSplitter {
  private static final Map<String, Set<String>> ABBREVIATIONS =
      Map.of(
          "en",
          Set.of(
              "Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "Gen.", "Lt.", "Col.", "Sgt.", "Capt.",
              "Sen.", "Rep.", "Gov.", "Rev.", "Hon.", "No.", "Nos.", "vs.", "e.g.", "i.e.", "cf.",
              "Fig.", "fig.", "Mt.", "Ph.D.", "approx.", "pp.", "Jan.", "Feb.", "Mar.", "Apr.",
              "Aug.", "Sep.", "Sept.", "Oct.", "Nov.", "Dec."),
          "de",
          Set.of(
              "Dr.",
              "Prof.",
              "Hr.",
              "Hrn.",
              "Fr.",
              "Frl.",
              "Nr.",
              "St.",
              "Str.",
              "z.B.",
              "d.h.",
              "u.a.",
              "bzw.",
              "ca.",
              "Ca.",
              "vgl.",
              "Vgl.",
              "evtl.",
              "ggf.",
              "inkl.",
              "Abb.",
              "Bd.",
              "Ing.",
              "Dipl.-Ing.",
              "Jan.",
              "Feb.",
              "Aug.",
              "Sept.",
              "Okt.",
              "Nov.",
              "Dez.",
              "Mio.",
              "Mrd.",
              "Tel.",
              "sog.",
              "geb.",
              "Jh."),
          "es",
          Set.of(
              "Sr.", "Sra.", "Srta.", "Sres.", "Dr.", "Dra.", "D.", "Dª.", "Ud.", "Uds.", "Vd.",
              "p.ej.", "pág.", "núm.", "Av.", "Avda.", "Sto.", "Sta.", "Ing.", "Lic.", "aprox."),
          "fr",
          Set.of("M.", "MM.", "Mme.", "Mlle.", "Dr.", "Pr.", "St.", "Ste.", "p.ex.", "cf.", "av."),
          "it",
          Set.of("Sig.", "Dott.", "dott.", "Ing.", "Avv.", "Prof.", "prof.", "pag.", "S.", "ecc."),
          "pt",
          Set.of("Sr.", "Sra.", "Dr.", "Dra.", "Prof.", "Profa.", "Av.", "pág.", "Exmo.", "Sto."));

  /** English abbreviations that end a sentence as often as not, besides dotted ones: "U.S.". */
  private static final Set<String> AMBIGUOUS =
      words("Inc. Corp. Co. Ltd. Bros. Jr. Sr. Ave. Blvd. Rd. Ft. etc.");

  /** English words that begin sentences, and hardly names. */
  private static final Set<String> BEGINNINGS =
      words(
          "A After All Also An And Are As At Before But By Can Could Did Do Does For From "
              + "He Her Here His How However I If In Is It Its Let Many May Meanwhile More Most "
              + "My No Not Now On One Our Please She Since So Some That The Their Then There "
              + "These They This Those To Today Was We Were What When Where While Who Why Will "
              + "With Would Yes You Your");

  /** What follows the time of day, "5 p.m.", in the same sentence. */
  private static final Set<String> AFTER_TIME =
      words(
          "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February "
              + "March April May June July August September October November December EST EDT "
              + "ET CST CDT CT MST MDT MT PST PDT PT GMT UTC BST CET CEST Eastern Central "
              + "Mountain Pacific");

  /** Sentence ends that need no following space. */
  private static final String WIDE_ENDS = "。！？｡…」』）";

  /** Maximum length of an abbreviation. */
  private static final int LONGEST_WORD = 16;

  /** One sentence and the whitespace before it. */
  public record Piece(String before, String text) {}

  private static Set<String> words(String words) {
    return Set.of(words.split(" ", -1));
  }

  private final String language;
  private final Set<String> abbreviations;
  private final BreakIterator sentences;

  /**
   * Makes a splitter; used by one thread at a time.
   *
   * @param languageTag BCP 47; may be empty
   */
  public SentenceSplitter(String languageTag) {
    ULocale locale = ULocale.forLanguageTag(languageTag);
    language = locale.getLanguage();
    abbreviations = ABBREVIATIONS.getOrDefault(language, Set.of());
    sentences = BreakIterator.getSentenceInstance(locale);
  }

  /**
   * Returns the sentences in order; none is blank.
   *
   * @param insideLines whether a line may contain several
   */
  public List<Piece> split(String text, boolean insideLines) {
    return split(text, insideLines, new int[0]);
  }

  /**
   * Returns the sentences in order; none is blank.
   *
   * @param breaks offsets at which a sentence ends in any case, in order
   */
  List<Piece> split(String text, boolean insideLines, int[] breaks) {
    List<Piece> pieces = new ArrayList<>();
    int start = 0;
    int end = 0; // of the last piece, without whitespace
    int next = 0;
    for (int i = 0; i <= text.length(); i++) {
      boolean lineBreak = i == text.length() || isLineBreak(text.charAt(i));
      boolean given = next < breaks.length && breaks[next] <= i;
      if (lineBreak || given) {
        end = insideLines ? line(text, start, i, end, pieces) : piece(text, start, i, end, pieces);
        start = lineBreak ? i + 1 : i;
      }
      while (next < breaks.length && breaks[next] <= i) {
        next++;
      }
    }
    return pieces;
  }

  private int line(String text, int start, int end, int before, List<Piece> to) {
    String line = text.substring(start, end);
    if (isOneSentence(line)) {
      return piece(text, start, end, before, to);
    }
    BreakIterator iterator = sentences.clone();
    iterator.setText(line);
    int last = before;
    int from = 0;
    iterator.first();
    for (int at = iterator.next(); at != BreakIterator.DONE; at = iterator.next()) {
      if (at == line.length() || isBreak(line, at)) {
        last = piece(text, start + from, start + at, last, to);
        from = at;
      }
    }
    return last;
  }

  /**
   * Whether a line is certainly one sentence: it is ASCII and has no sentence-ending character
   * before its last one.
   */
  static boolean isOneSentence(String line) {
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      boolean ends = c == '.' || c == '!' || c == '?' || c == ';'; // the last in Greek
      if (c >= 0x80 || (ends && i < line.length() - 1)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a break by UAX 29 is the end of a sentence. The rules also break after every question
   * mark, and so inside addresses: require a space as well.
   */
  private boolean isBreak(String line, int at) {
    char last = line.charAt(at - 1);
    if (!WhitespaceSegmenter.isSpace(last)) {
      return WIDE_ENDS.indexOf(last) >= 0;
    }
    int end = at;
    while (end > 0 && WhitespaceSegmenter.isSpace(line.charAt(end - 1))) {
      end--;
    }
    if (end == 0 || line.charAt(end - 1) != '.') {
      return true;
    }
    int start = end - 1;
    while (start > 0 && isPartOfWord(line.charAt(start - 1)) && end - start <= LONGEST_WORD) {
      start--;
    }
    String word = line.substring(start, end);
    return !abbreviations.contains(word)
        && !isInitial(word)
        && !isOrdinal(word)
        && !(isAmbiguous(word) && goesOn(word, line, at));
  }

  private boolean isAmbiguous(String word) {
    return language.equals("en") && (AMBIGUOUS.contains(word) || isDotted(word));
  }

  /** Letters, each with a full stop. */
  private static boolean isDotted(String word) {
    boolean dotted = word.length() > 2 && word.length() % 2 == 0;
    for (int i = 0; dotted && i < word.length(); i++) {
      char c = word.charAt(i);
      dotted = i % 2 == 0 ? Character.isLetter(c) : c == '.';
    }
    return dotted;
  }

  /** Whether the sentence of an ambiguous word goes on with the word at a place. */
  private static boolean goesOn(String word, String line, int at) {
    int end = at;
    while (end < line.length() && Character.isLetter(line.charAt(end))) {
      end++;
    }
    String next = line.substring(at, end);
    boolean time = word.equalsIgnoreCase("a.m.") || word.equalsIgnoreCase("p.m.");
    return time ? AFTER_TIME.contains(next) : end > at && !BEGINNINGS.contains(next);
  }

  private static boolean isPartOfWord(char c) {
    return Character.isLetterOrDigit(c) || c == '.' || c == '-' || c == 'ª';
  }

  /** One capital and a full stop; but English sentences may well end in "I". */
  private boolean isInitial(String word) {
    boolean englishI = language.equals("en") && word.equals("I.");
    return word.length() == 2 && Character.isUpperCase(word.charAt(0)) && !englishI;
  }

  /** German writes "am 3. Oktober". */
  private boolean isOrdinal(String word) {
    return language.equals("de")
        && word.length() <= 3
        && word.chars().limit(word.length() - 1L).allMatch(c -> c >= '0' && c <= '9')
        && word.length() > 1;
  }

  /** Adds a range unless it is blank; returns the end of the last piece. */
  private static int piece(String text, int start, int end, int before, List<Piece> to) {
    int from = start;
    while (from < end && WhitespaceSegmenter.isSpace(text.charAt(from))) {
      from++;
    }
    if (from == end) {
      return before;
    }
    int until = end;
    while (WhitespaceSegmenter.isSpace(text.charAt(until - 1))) {
      until--;
    }
    to.add(new Piece(text.substring(before, from), text.substring(from, until)));
    return until;
  }

  private static boolean isLineBreak(char c) {
    return c == '\n' || c == '\r' || c == '\u0085' || c == '\u2028' || c == '\u2029';
  }
}
