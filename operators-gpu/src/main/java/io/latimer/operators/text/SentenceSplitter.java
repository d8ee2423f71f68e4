package io.latimer.operators.text;

import com.ibm.icu.text.BreakIterator;
import com.ibm.icu.text.FilteredBreakIteratorBuilder;
import com.ibm.icu.util.ULocale;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Parts a text into sentences: at line breaks always, and inside a line by Unicode's rules (UAX 29,
 * ICU) without a break after the abbreviations that CLDR and the lists here know.
 */
final class SentenceSplitter {
  /** Frequent abbreviations before a capital that CLDR's lists lack. */
  private static final Set<String> ENGLISH =
      Set.of(
          "Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "Gen.", "Lt.", "Col.", "Sgt.", "Sen.",
          "Rep.", "Gov.", "Rev.", "Hon.", "Jr.", "Sr.", "No.", "Nos.", "vs.", "e.g.", "i.e.", "cf.",
          "Fig.", "Inc.", "Ltd.", "Co.", "Corp.", "Mt.", "approx.", "dept.", "Jan.", "Feb.", "Aug.",
          "Sept.", "Oct.", "Nov.", "Dec.");

  private static final Set<String> GERMAN =
      Set.of(
          "Dr.", "Prof.", "Hr.", "Fr.", "Nr.", "St.", "Str.", "z.B.", "d.h.", "u.a.", "bzw.", "ca.",
          "vgl.", "usw.", "evtl.", "ggf.", "inkl.", "Abb.", "Bd.", "Jan.", "Feb.", "Aug.", "Sept.",
          "Okt.", "Nov.", "Dez.", "Mio.", "Mrd.", "Tel.");

  /** Ends of sentences after which no space stands. */
  private static final String WIDE_ENDS = "。！？｡…」』）";

  /** One sentence and the whitespace between it and the one before it. */
  record Piece(String before, String text) {}

  private final BreakIterator sentences;

  SentenceSplitter(String language, boolean splitSentences) {
    sentences = splitSentences ? iterator(language) : null;
  }

  private static BreakIterator iterator(String language) {
    ULocale locale = ULocale.forLanguageTag(language);
    FilteredBreakIteratorBuilder builder = FilteredBreakIteratorBuilder.getInstance(locale);
    switch (locale.getLanguage()) {
      case "en" -> ENGLISH.forEach(builder::suppressBreakAfter);
      case "de" -> GERMAN.forEach(builder::suppressBreakAfter);
      default -> {
        // CLDR's list alone
      }
    }
    return builder.wrapIteratorWithFilter(BreakIterator.getSentenceInstance(locale));
  }

  /** Returns the sentences in order; none is blank. */
  List<Piece> split(String text) {
    List<Piece> pieces = new ArrayList<>();
    int start = 0;
    int end = 0; // of the last piece, whitespace left out
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || isLineBreak(text.charAt(i))) {
        end = line(text, start, i, end, pieces);
        start = i + 1;
      }
    }
    return pieces;
  }

  private int line(String text, int start, int end, int before, List<Piece> to) {
    if (sentences == null) {
      return piece(text, start, end, before, to);
    }
    String line = text.substring(start, end);
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

  /** UAX 29 breaks after every question mark, and so inside addresses: ask for a space as well. */
  private static boolean isBreak(String line, int at) {
    char c = line.charAt(at - 1);
    return isSpace(c) || WIDE_ENDS.indexOf(c) >= 0;
  }

  /** Adds what is not blank of a range; returns the end of the last piece. */
  private static int piece(String text, int start, int end, int before, List<Piece> to) {
    int from = start;
    while (from < end && isSpace(text.charAt(from))) {
      from++;
    }
    if (from == end) {
      return before;
    }
    int until = end;
    while (isSpace(text.charAt(until - 1))) {
      until--;
    }
    to.add(new Piece(text.substring(before, from), text.substring(from, until)));
    return until;
  }

  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c);
  }

  private static boolean isLineBreak(char c) {
    return c == '\n' || c == '\r' || c == '\u0085' || c == '\u2028' || c == '\u2029';
  }
}
