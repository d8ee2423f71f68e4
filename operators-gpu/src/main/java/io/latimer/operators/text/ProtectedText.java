package io.latimer.operators.text;

import com.ibm.icu.text.UnicodeSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * A sentence of which what must stay ({@link KeptSpans}), unknown symbols and overlong words are
 * hidden from the model.
 *
 * <p>Symbols at either end are removed and restored unchanged. A part that stays, or a symbol
 * inside the sentence, becomes one {@link #MARK}, which no vocabulary contains, until the sentence
 * is segmented; {@link FloatingParts} removes the marks. For a model that knows {@link Masks}, the
 * first eight become masks, which stay. A sentence of nothing else, and one without a letter,
 * passes through unchanged.
 *
 * @param lead text removed from the start
 * @param text text for the model; empty if there is none
 * @param trail text removed from the end
 * @param carried what each mark stands for
 */
record ProtectedText(String lead, String text, String trail, List<KeptText> carried) {
  /** A private-use character; one in the original text is protected like any symbol. */
  static final char MARK = '\uE000';

  /**
   * The longest run of letters, digits and {@code + / = _} without a space that may be a word. A
   * longer one is a key, a checksum or a held-down key: a model would write nonsense for it, at
   * every letter's full cost.
   */
  static final int LONGEST_WORD = 100;

  /** Characters of scripts that put spaces between words, and what keys are made of. */
  static final UnicodeSet OF_WORDS =
      new UnicodeSet(
              "[[[:L:][:M:][:N:]]-[:Line_Break=SA:]-[:Line_Break=ID:]-[:Line_Break=CJ:][+/=_]]")
          .freeze();

  static final UnicodeSet SYMBOLS =
      new UnicodeSet(
              "[[:Extended_Pictographic:][:Regional_Indicator:][:Emoji_Modifier:][:Co:]"
                  + "[\\uFE0E\\uFE0F\\u20E3]]")
          .freeze();

  private static final UnicodeSet JOINERS =
      new UnicodeSet("[\\u200D[\\U000E0020-\\U000E007F]]").addAll(SYMBOLS).freeze();

  /** A part of the text. */
  private record Span(KeptSpan part, boolean symbols) {
    int start() {
      return part.start();
    }

    int end() {
      return part.end();
    }
  }

  /**
   * Finds the text to protect.
   *
   * @param given what must be hidden in any case, in order, without overlaps
   * @param masks whether the model knows {@link Masks}
   * @param isUnknown whether the model has no token for a run of symbols
   */
  static ProtectedText of(
      String text, List<KeptSpan> given, boolean masks, Predicate<String> isUnknown) {
    if (given.isEmpty() && !text.codePoints().anyMatch(Character::isLetter)) {
      return new ProtectedText(text, "", "", List.of()); // nothing to translate
    }
    List<Span> spans = spans(text, given, isUnknown);
    if (spans.isEmpty()) {
      return new ProtectedText("", text, "", List.of());
    }
    int first = 0;
    int start = 0;
    while (first < spans.size()
        && spans.get(first).symbols()
        && spans.get(first).start() == start) {
      start = skipSpaces(text, spans.get(first).end());
      first++;
    }
    int last = spans.size();
    int end = text.length();
    while (last > first && spans.get(last - 1).symbols() && spans.get(last - 1).end() == end) {
      end = skipSpacesBack(text, spans.get(last - 1).start(), start);
      last--;
    }
    StringBuilder marked = new StringBuilder();
    List<KeptText> carried = new ArrayList<>();
    boolean words = false;
    int from = start;
    for (Span span : spans.subList(first, last)) {
      words |= hasWords(text, from, span.start());
      boolean masked = masks && carried.size() < Masks.COUNT;
      marked.append(text, from, span.start());
      marked.append(masked ? Masks.get(carried.size()) : MARK);
      carried.add(new KeptText(text.substring(span.start(), span.end()), span.part().target()));
      from = span.end();
    }
    words |= hasWords(text, from, end);
    if (!words) {
      String whole =
          text.substring(0, start)
              + KeptText.resolve(marked.toString(), carried, KeptText::target)
              + text.substring(from);
      return new ProtectedText(whole, "", "", List.of());
    }
    marked.append(text, from, Math.max(from, end));
    return new ProtectedText(
        text.substring(0, start), marked.toString(), text.substring(end), carried);
  }

  /** The number of marks in a text. */
  static int marks(String text) {
    return (int) text.chars().filter(Masks::isMark).count();
  }

  private static List<Span> spans(String text, List<KeptSpan> given, Predicate<String> isUnknown) {
    List<Span> spans = new ArrayList<>();
    int at = 0;
    for (KeptSpan kept : KeptSpans.with(given, text)) {
      spans.add(new Span(kept, false));
      symbols(text, at, kept.start(), isUnknown, spans);
      endlessWords(text, at, kept.start(), spans);
      at = kept.end();
    }
    symbols(text, at, text.length(), isUnknown, spans);
    endlessWords(text, at, text.length(), spans);
    spans.sort(Comparator.comparingInt(Span::start));
    return spans;
  }

  private static void symbols(
      String text, int from, int to, Predicate<String> isUnknown, List<Span> spans) {
    int at = from;
    while (at < to) {
      int c = text.codePointAt(at);
      if (c < 0x80 || !SYMBOLS.contains(c)) {
        at += Character.charCount(c);
        continue;
      }
      int end = at;
      while (end < to && JOINERS.contains(text.codePointAt(end))) {
        end += Character.charCount(text.codePointAt(end));
      }
      String run = text.substring(at, end);
      if (run.chars().anyMatch(Masks::isMark) || isUnknown.test(run)) {
        spans.add(new Span(KeptSpan.of(text, at, end), true));
      }
      at = end;
    }
  }

  private static void endlessWords(String text, int from, int to, List<Span> spans) {
    if (to - from <= LONGEST_WORD) {
      return;
    }
    int start = from;
    int at = from;
    while (at <= to) {
      int c = at < to ? text.codePointAt(at) : ' ';
      if (!OF_WORDS.contains(c)) {
        if (at - start > LONGEST_WORD) {
          spans.add(new Span(KeptSpan.of(text, start, at), false));
        }
        start = at + Character.charCount(c);
      }
      at += Character.charCount(c);
    }
  }

  private static boolean hasWords(String text, int from, int to) {
    return from < to && text.substring(from, to).codePoints().anyMatch(Character::isLetterOrDigit);
  }

  private static int skipSpaces(String text, int from) {
    int at = from;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static int skipSpacesBack(String text, int from, int floor) {
    int at = from;
    while (at > floor && Character.isWhitespace(text.charAt(at - 1))) {
      at--;
    }
    return at;
  }
}
