package io.latimer.operators.text.numbers;

import com.ibm.icu.text.Normalizer2;
import com.ibm.icu.util.ULocale;
import io.latimer.operators.text.numbers.NumberForm.Style;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** Finds the numbers in digits of a language's texts, in one pass. Immutable. */
final class NumberFinder {
  private static final String VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞";
  private static final String WAVES = "~\u301C\uFF5E";
  private static final String CHAINS = ".,-\u2013/:_";
  private static final BigDecimal HIGHEST_SCORE = BigDecimal.valueOf(199);
  private static final BigDecimal LAST_HOUR = BigDecimal.valueOf(24);
  private static final BigDecimal LAST_MINUTE = BigDecimal.valueOf(59);

  private final FigureReader figures;
  private final QuantityReader quantities;
  private final DateReader dates;
  private final TimeReader times;
  private final Units units;

  NumberFinder(ULocale locale, DateReader dates) {
    figures = new FigureReader(locale);
    units = new Units(locale);
    quantities = new QuantityReader(locale, figures, units);
    this.dates = dates;
    times = new TimeReader(locale);
  }

  /** Whether a text has a digit or a character that is a fraction. */
  static boolean hasDigits(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (startsNumber(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean startsNumber(char c) {
    return Chars.isDigit(c) || (c >= 0xBC && VULGAR.indexOf(c) >= 0);
  }

  /**
   * The numbers of a text, in order, without overlaps.
   *
   * @param names whether units may be names
   * @param isIgnored whether the character at an offset is of no interest
   */
  List<NumberSpan> find(String text, boolean names, IntPredicate isIgnored) {
    if (!hasDigits(text)) {
      return List.of();
    }
    List<NumberSpan> found = new ArrayList<>();
    int floor = 0;
    int letters = -1;
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (isIgnored.test(at)) {
        floor = ++at;
        letters = -1;
      } else if (startsNumber(c)) {
        NumberSpan span = new Place(text, at, floor, letters, names).span();
        if (touches(span, isIgnored)) {
          at = span.end();
        } else {
          found.add(span);
          at = span.end();
        }
        floor = at;
        letters = -1;
      } else {
        letters = !Chars.isCodeLetter(c) ? -1 : letters < 0 ? at : letters;
        at++;
      }
    }
    return found;
  }

  /** The unit that a text names at a place, after a space; empty if there is none. */
  String unitAfter(String text, int at) {
    Lexicon.Match<String> unit = units.nameAt(text, Chars.skipSpace(text, at));
    return unit == null ? "" : unit.meaning();
  }

  /** Whether a text names a part of the day. */
  boolean hasDayPeriod(String text) {
    return times.hasDayPeriod(text);
  }

  /** Whether a word before a number may make it negative. */
  boolean mayBeMinus(String text, NumberSpan number) {
    return quantities.mayBeMinus(text, number.start());
  }

  private static boolean touches(NumberSpan span, IntPredicate isIgnored) {
    for (int i = span.start(); i < span.end(); i++) {
      if (isIgnored.test(i)) {
        return true;
      }
    }
    return false;
  }

  /** The first digit of a number. */
  private final class Place {
    private final String text;
    private final int at;
    private final int floor;
    private final int letters;
    private final boolean names;

    Place(String text, int at, int floor, int letters, boolean names) {
      this.text = text;
      this.at = at;
      this.floor = floor;
      this.letters = letters;
      this.names = names;
    }

    NumberSpan span() {
      if (letters >= 0 && units.moneyBefore(text, at, floor) != letters) {
        return code(letters, at);
      }
      if (!Chars.isDigit(text.charAt(at))) {
        return vulgar(at, 0, at);
      }
      NumberSpan span = dates.read(text, at, floor);
      if (span == null) {
        span = times.read(text, at, floor);
      }
      if (span == null) {
        Quantity first = quantities.read(text, at, floor, names);
        span = first == null ? code(at, at) : number(first);
      }
      boolean goesOn =
          span.end() < text.length()
              && Chars.isCodeLetter(text.charAt(span.end()))
              && !Chars.isUnspaced(text.charAt(span.end() - 1));
      return goesOn && !span.isCode() && isDigitLast(span) ? code(at, at) : span;
    }

    private static boolean isDigitLast(NumberSpan span) {
      return Chars.isDigit(span.text().charAt(span.text().length() - 1));
    }

    private NumberSpan number(Quantity first) {
      int end = first.end();
      if (first.style() == Style.FIGURES && end < text.length()) {
        char c = text.charAt(end);
        NumberSpan pair = null;
        if (c == '/' || c == '\u2044') {
          pair = slash(first);
        } else if (c == ':') {
          pair = ratio(first);
        } else {
          pair = range(first);
        }
        pair = pair == null ? mixed(first) : pair;
        if (pair != null) {
          return pair;
        }
      }
      return first.span(text);
    }

    private NumberSpan slash(Quantity first) {
      int next = first.end() + 1;
      if (!first.isWhole() || !Chars.isDigitAt(text, next)) {
        return null;
      }
      int end = Chars.digitsEnd(text, next);
      if (continues(end) || end - next > 9 || first.figure().precision() > 9) {
        return code(at, at);
      }
      int top = first.figure().intValueExact();
      return fraction(first.start(), end, 0, top, Chars.number(text, next, end));
    }

    private NumberSpan fraction(int start, int end, int whole, int top, int bottom) {
      NumberValue value = NumberValue.of(NumberKind.FRACTION, whole, top, bottom);
      return NumberSpan.of(text, start, end, value, NumberForm.of(Style.FIGURES, value.numbers()));
    }

    private NumberSpan ratio(Quantity first) {
      int next = first.end() + 1;
      if (!first.isWhole() || !Chars.isDigitAt(text, next)) {
        return null;
      }
      int end = Chars.digitsEnd(text, next);
      if (continues(end) || end - next > 9 || (end - next > 1 && text.charAt(next) == '0')) {
        return code(at, at);
      }
      BigDecimal second = BigDecimal.valueOf(Chars.number(text, next, end));
      boolean noTime =
          end - next == 2
              && second.compareTo(LAST_MINUTE) > 0
              && first.figure().compareTo(LAST_HOUR) <= 0;
      return noTime ? code(at, at) : score(first, end, second);
    }

    private NumberSpan score(Quantity first, int end, BigDecimal second) {
      List<BigDecimal> numbers = List.of(first.figure(), second);
      return NumberSpan.of(
          text,
          first.start(),
          end,
          new NumberValue(NumberKind.SCORE, numbers, ""),
          NumberForm.of(Style.FIGURES, numbers));
    }

    /** "5½", "5 ½" and "5 1/2". */
    private NumberSpan mixed(Quantity first) {
      if (!first.isWhole() || first.figure().precision() > 9) {
        return null;
      }
      int next = Chars.skipSpace(text, first.end());
      int whole = first.figure().intValueExact();
      if (next < text.length() && VULGAR.indexOf(text.charAt(next)) >= 0) {
        return vulgar(first.start(), whole, next);
      }
      int bar = Chars.digitsEnd(text, next);
      int end = Chars.digitsEnd(text, bar + 1);
      boolean is =
          next > first.end()
              && bar > next
              && bar - next <= 2
              && Chars.isAnyOf(text, bar, "/\u2044")
              && end > bar + 1
              && end - bar <= 4
              && !continues(end);
      int top = is ? Chars.number(text, next, bar) : 0;
      int bottom = is ? Chars.number(text, bar + 1, end) : 0;
      return top > 0 && top < bottom ? fraction(first.start(), end, whole, top, bottom) : null;
    }

    private NumberSpan vulgar(int start, int whole, int sign) {
      String parts = Normalizer2.getNFKCInstance().normalize(String.valueOf(text.charAt(sign)));
      int bar = parts.indexOf('\u2044');
      return fraction(
          start,
          sign + 1,
          whole,
          Integer.parseInt(parts.substring(0, bar)),
          Integer.parseInt(parts.substring(bar + 1)));
    }

    private NumberSpan range(Quantity first) {
      int end = first.end();
      int dash = Chars.skipSpace(text, end);
      if (!Chars.isAnyOf(text, dash, Chars.DASHES + WAVES)) {
        return null;
      }
      int next = Chars.skipSpace(text, dash + 1);
      boolean spaced = dash > end;
      if (spaced != next > dash + 1 || (spaced && text.charAt(dash) == '-')) {
        return null;
      }
      int digit = next;
      while (digit < text.length()
          && digit - next < 4
          && "-\u2212$€£¥".indexOf(text.charAt(digit)) >= 0) {
        digit++;
      }
      if (!Chars.isDigitAt(text, digit)) {
        return null;
      }
      boolean joined = !spaced && first.unit().isEmpty();
      Quantity second = quantities.readSecond(first, text, digit, next, names);
      if (second == null || second.start() != next) {
        return joined ? code(at, at) : null;
      }
      if (joined && continues(second.end())) {
        return code(at, at);
      }
      String unit = second.unit().isEmpty() ? first.unit() : second.unit();
      boolean fits =
          first.unit().isEmpty() || second.unit().isEmpty() || first.unit().equals(second.unit());
      if (!fits
          || second.style() != Style.FIGURES
          || first.scale() > 0
          || !second.sign().isEmpty()) {
        return null;
      }
      return pair(first, second, unit, spaced);
    }

    private NumberSpan pair(Quantity first, Quantity second, String unit, boolean spaced) {
      boolean score =
          !spaced
              && first.isWhole()
              && second.isWhole()
              && first.figure().compareTo(HIGHEST_SCORE) <= 0
              && first.figure().compareTo(second.figure()) >= 0;
      NumberForm form =
          (second.unit().isEmpty() ? first : second).form(List.of(first.figure(), second.figure()));
      form =
          new NumberForm(
              Style.FIGURES,
              form.figures(),
              first.grouped() || second.grouped(),
              second.scale(),
              first.sign(),
              form.symbol(),
              form.spaced());
      NumberKind kind = score ? NumberKind.SCORE : NumberKind.RANGE;
      return NumberSpan.of(
          text,
          first.start(),
          second.end(),
          new NumberValue(kind, List.of(first.value(), second.value()), unit),
          form);
    }

    /** Whether a chain of digits goes on: no pair, but a telephone number or the like. */
    private boolean continues(int end) {
      return Chars.isAnyOf(text, end, "-\u2013/:") && Chars.isDigitAt(text, end + 1);
    }

    /** Letters and digits, and digits after points and dashes. */
    private NumberSpan code(int start, int from) {
      int end = from;
      boolean letters = start < from;
      while (end < text.length()) {
        char c = text.charAt(end);
        if (Chars.isCodeLetter(c)) {
          letters = true;
        } else if (!Chars.isDigit(c)
            && (letters || CHAINS.indexOf(c) < 0 || !Chars.isDigitAt(text, end + 1))) {
          break;
        }
        end++;
      }
      String literal = text.substring(start, end);
      FigureReader.Figure figure = start < from ? null : figures.read(text, from);
      boolean leading =
          figure != null
              && figure.value() != null
              && figure.end() < end
              && Character.isLowerCase(text.charAt(figure.end()));
      return NumberSpan.of(
          text,
          start,
          end,
          NumberValue.code(literal),
          NumberForm.of(Style.FIGURES, leading ? List.of(figure.value()) : List.of()));
    }
  }
}
