package io.latimer.operators.text.numbers;

import com.ibm.icu.text.DateFormatSymbols;
import com.ibm.icu.text.DateTimePatternGenerator;
import com.ibm.icu.util.ULocale;
import io.latimer.operators.text.numbers.NumberForm.Style;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Reads dates in figures, in the order of a language, and with the names of months. */
final class DateReader {
  /** A name of a month, 1 to 12. */
  private record Month(int number, boolean isWide) {}

  private static final Set<String> BEFORE_MONTH = Set.of("of", "de", "d'", "di", "do");
  private static final Set<String> BEFORE_YEAR = Set.of("of", "de", "del", "do", "di");
  private static final String[] YEAR_MONTH_DAY = {"年년", "月월", "日일号號"};

  private final boolean monthFirst;
  private final boolean pointed;
  private final boolean capitalized;
  private final Lexicon<Month> months;
  private final Lexicon<Boolean> endings;

  DateReader(ULocale locale) {
    String order = DateTimePatternGenerator.getInstance(locale).getBestPattern("yMd");
    monthFirst = order.indexOf('M') < order.indexOf('d') && order.indexOf('y') > 0;
    pointed = order.startsWith("d.");
    Map<String, Month> names = new LinkedHashMap<>();
    DateFormatSymbols symbols = DateFormatSymbols.getInstance(locale);
    for (int width : new int[] {DateFormatSymbols.WIDE, DateFormatSymbols.ABBREVIATED}) {
      add(names, symbols.getMonths(DateFormatSymbols.FORMAT, width), width);
      add(names, symbols.getMonths(DateFormatSymbols.STANDALONE, width), width);
    }
    months = new Lexicon<>(names, true);
    String first = symbols.getMonths(DateFormatSymbols.FORMAT, DateFormatSymbols.WIDE)[0];
    capitalized = Character.isUpperCase(first.charAt(0));
    endings = new Lexicon<>(endings(), true);
  }

  private static Map<String, Boolean> endings() {
    Map<String, Boolean> endings = new LinkedHashMap<>();
    for (String ending : "st nd rd th er re º ª .º e -го".split(" ", -1)) {
      endings.put(ending, true);
    }
    return endings;
  }

  private static void add(Map<String, Month> names, String[] months, int width) {
    for (int i = 0; i < 12; i++) {
      String name = months[i];
      Month month = new Month(i + 1, width == DateFormatSymbols.WIDE);
      if (name.length() < 2 || name.chars().anyMatch(c -> Chars.isDigit((char) c))) {
        continue;
      }
      names.putIfAbsent(name, month);
      if (name.endsWith(".")) {
        names.putIfAbsent(name.substring(0, name.length() - 1), month);
      } else if (width == DateFormatSymbols.ABBREVIATED) {
        names.putIfAbsent(name + ".", month);
      }
    }
  }

  /** The months that a text names, 1 to 12. */
  Set<Integer> months(String text) {
    Set<Integer> found = new HashSet<>();
    for (int at = 0; at < text.length(); at++) {
      Lexicon.Match<Month> match = Chars.isWordStart(text, at) ? months.at(text, at) : null;
      if (match != null) {
        found.add(match.meaning().number());
      }
    }
    return found;
  }

  /** The date whose first digits start at a place; null if there is none. */
  NumberSpan read(String text, int at, int floor) {
    int end = Chars.digitsEnd(text, at);
    if (end - at > 4) {
      return null;
    }
    NumberSpan date = numeric(text, at, end);
    if (date == null) {
      date = ideographic(text, at, end);
    }
    if (date == null && end - at <= 2) {
      date = dayFirst(text, at, end);
    }
    if (date == null && end - at <= 2) {
      date = monthFirst(text, at, end, floor);
    }
    return date;
  }

  private NumberSpan numeric(String text, int at, int firstEnd) {
    if (!Chars.isAnyOf(text, firstEnd, "/.-")) {
      return null;
    }
    char separator = text.charAt(firstEnd);
    int second = afterSeparator(text, firstEnd);
    int secondEnd = Chars.digitsEnd(text, second);
    if (secondEnd == second || secondEnd - second > 2) {
      return null;
    }
    if (isDayAndMonth(text, at, firstEnd, secondEnd)) {
      int day = Chars.number(text, at, firstEnd);
      int month = Chars.number(text, second, secondEnd);
      int end = secondEnd + 1 == text.length() ? secondEnd : secondEnd + 1;
      return span(text, at, end, -1, month, day, Style.NUMERIC_DATE);
    }
    int third = afterSeparator(text, secondEnd);
    int end = Chars.digitsEnd(text, third);
    if (!Chars.isAnyOf(text, secondEnd, String.valueOf(separator))
        || end == third
        || end - third > 4
        || goesOn(text, end)) {
      return null;
    }
    return numeric(text, new int[] {at, firstEnd, second, secondEnd, third, end}, separator);
  }

  /** Where the digits after a separator start; after a point there may be a space. */
  private static int afterSeparator(String text, int at) {
    boolean point = Chars.isAnyOf(text, at, ".") && !Chars.isDigitAt(text, at + 1);
    return point ? Chars.skipSpace(text, at + 1) : at + 1;
  }

  private static boolean goesOn(String text, int end) {
    return end < text.length()
        && ((Chars.isAnyOf(text, end, "/.-:") && Chars.isDigitAt(text, end + 1))
            || Chars.isCodeLetter(text.charAt(end)));
  }

  private NumberSpan numeric(String text, int[] places, char separator) {
    int at = places[0];
    int end = places[5];
    int first = Chars.number(text, at, places[1]);
    int second = Chars.number(text, places[2], places[3]);
    int third = Chars.number(text, places[4], end);
    int size = end - places[4];
    if (places[1] - at == 4) {
      boolean iso = separator == '-' && places[3] - places[2] == 2 && size == 2;
      Style style = iso ? Style.ISO_DATE : Style.NUMERIC_DATE;
      return size > 2 || first < 100 ? null : span(text, at, end, first, second, third, style);
    }
    if (places[1] - at > 2 || size == 3 || size == 1 || (size == 4 && third < 100)) {
      return null;
    }
    boolean dayLast = second > 12 || (separator != '.' && monthFirst && first < 13);
    return dayLast
        ? span(text, at, end, third, first, second, Style.NUMERIC_DATE)
        : span(text, at, end, third, second, first, Style.NUMERIC_DATE);
  }

  /** {@code 25.8.} before something else than a year. */
  private boolean isDayAndMonth(String text, int at, int firstEnd, int secondEnd) {
    return pointed
        && text.charAt(firstEnd) == '.'
        && firstEnd - at <= 2
        && Chars.isAnyOf(text, secondEnd, ".")
        && (secondEnd + 2 >= text.length()
            || (Chars.isSpace(text.charAt(secondEnd + 1))
                && !Chars.isDigitAt(text, secondEnd + 2)));
  }

  /** Years, months and days with their signs; a year and a month alone are the number of a year. */
  private static NumberSpan ideographic(String text, int at, int firstEnd) {
    int[] parts = {-1, -1, -1};
    int end = firstEnd;
    int start = at;
    int next = Chars.isAnyOf(text, end, YEAR_MONTH_DAY[0]) ? 0 : 1;
    while (next < 3 && Chars.isAnyOf(text, end, YEAR_MONTH_DAY[next])) {
      parts[next] = Chars.number(text, start, end);
      end++;
      start = Chars.skipSpace(text, end);
      int digits = Chars.digitsEnd(text, start);
      next++;
      if (next < 3 && digits > start && digits - start <= 2) {
        end = digits;
      } else {
        break;
      }
    }
    if (parts[1] >= 0 && parts[2] >= 0) {
      return span(text, at, end, parts[0], parts[1], parts[2], Style.MONTH_NAME);
    }
    return null;
  }

  private NumberSpan dayFirst(String text, int at, int dayEnd) {
    int day = Chars.number(text, at, dayEnd);
    Lexicon.Match<Boolean> ending = endings.at(text, dayEnd);
    int end = ending == null ? dayEnd : ending.end();
    end = ending == null && Chars.isAnyOf(text, end, ".") ? end + 1 : end;
    int word = Chars.skipSpace(text, end);
    if (word == dayEnd) {
      return null;
    }
    word = skip(text, word, BEFORE_MONTH);
    Lexicon.Match<Month> month = monthAt(text, word);
    return month == null ? null : withYear(text, at, month.end(), month.meaning(), day);
  }

  private Lexicon.Match<Month> monthAt(String text, int at) {
    if (at >= text.length() || (capitalized && Character.isLowerCase(text.charAt(at)))) {
      return null;
    }
    return months.at(text, at);
  }

  private NumberSpan monthFirst(String text, int at, int dayEnd, int floor) {
    int word = TimeReader.wordBefore(text, at, floor);
    if (word < 0 || !Chars.isSpace(text.charAt(at - 1))) {
      return null;
    }
    Lexicon.Match<Month> month = monthAt(text, word);
    if (month == null || month.end() < at - 1) {
      return null;
    }
    Lexicon.Match<Boolean> ending = endings.at(text, dayEnd);
    int end = ending == null ? dayEnd : ending.end();
    if (!Chars.isWordEnd(text, end)
        || (Chars.isAnyOf(text, end, ".,:") && Chars.isDigitAt(text, end + 1))) {
      return null;
    }
    return withYear(text, word, end, month.meaning(), Chars.number(text, at, dayEnd));
  }

  private static NumberSpan withYear(String text, int start, int end, Month month, int day) {
    Style style = month.isWide() ? Style.MONTH_NAME : Style.MONTH_ABBREVIATION;
    int year = Chars.isAnyOf(text, end, ",") ? end + 1 : end;
    year = skip(text, Chars.skipSpace(text, year), BEFORE_YEAR);
    int yearEnd = Chars.digitsEnd(text, year);
    boolean is =
        year > end
            && yearEnd - year == 4
            && Chars.number(text, year, yearEnd) > 99
            && Chars.isWordEnd(text, yearEnd)
            && !(Chars.isAnyOf(text, yearEnd, ".,:") && Chars.isDigitAt(text, yearEnd + 1));
    return is
        ? span(text, start, yearEnd, Chars.number(text, year, yearEnd), month.number(), day, style)
        : span(text, start, trimmed(text, end), -1, month.number(), day, style);
  }

  /** A point at the end of the text belongs to the sentence. */
  private static int trimmed(String text, int end) {
    return end == text.length() && text.charAt(end - 1) == '.' ? end - 1 : end;
  }

  private static int skip(String text, int at, Set<String> words) {
    for (int size = 2; size <= 3; size++) {
      int end = at + size;
      if (end < text.length() && words.contains(text.substring(at, end).replace('’', '\''))) {
        int next = Chars.skipSpace(text, end);
        if (next > end || text.charAt(end - 1) == '\'' || text.charAt(end - 1) == '’') {
          return next;
        }
      }
    }
    return at;
  }

  private static NumberSpan span(
      String text, int start, int end, int year, int month, int day, Style style) {
    if (month < 1 || month > 12 || day < 1 || day > 31) {
      return null;
    }
    NumberValue value =
        year < 0
            ? NumberValue.of(NumberKind.DATE, month, day)
            : NumberValue.of(NumberKind.DATE, year, month, day);
    return NumberSpan.of(text, start, end, value, NumberForm.of(style, value.numbers()));
  }
}
