package io.latimer.operators.text.numbers;

import com.ibm.icu.text.DateFormatSymbols;
import com.ibm.icu.text.SimpleDateFormat;
import com.ibm.icu.util.GregorianCalendar;
import com.ibm.icu.util.TimeZone;
import com.ibm.icu.util.ULocale;
import io.latimer.operators.text.numbers.NumberForm.Style;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads times of day: {@code 14:30}, {@code 3:30 p.m.}, {@code 14.30 Uhr}, {@code 14h30}. */
final class TimeReader {
  /** What a word beside an hour says. */
  private enum Marker {
    BEFORE_NOON,
    AFTER_NOON,
    CLOCK,
    /** It may be one before or after noon. */
    HOUR
  }

  private static final String HOUR_LETTERS = "hH時时點点";

  /** How far from a time a word like "evening" may be. */
  private static final int NEAR = 40;

  private static final String MINUTE_LETTERS = "分";

  /** Languages whose word for the hour follows a number. */
  private static final Map<String, List<String>> CLOCKS =
      Map.of("de", List.of("Uhr"), "nl", List.of("uur"), "lb", List.of("Auer"));

  /** Languages in which "14h30" is a time. */
  private static final Set<String> WITH_H = Set.of("fr", "pt", "es", "ca", "gl", "it", "ro", "br");

  private final boolean withH;
  private final Lexicon<Marker> markers;
  private final Lexicon<Boolean> dayPeriods;

  TimeReader(ULocale locale) {
    String language = locale.getLanguage();
    withH = WITH_H.contains(language);
    Map<String, Marker> words = new LinkedHashMap<>();
    String[] halves = DateFormatSymbols.getInstance(locale).getAmPmStrings();
    put(words, Marker.BEFORE_NOON, halves[0], "AM", "A.M.", "a.m.", "a. m.", "A.M", "a.m");
    put(words, Marker.AFTER_NOON, halves[1], "PM", "P.M.", "p.m.", "p. m.", "P.M", "p.m", "pm");
    if (language.equals("en")) {
      words.put("am", Marker.BEFORE_NOON);
      words.put("o'clock", Marker.HOUR);
    }
    CLOCKS.getOrDefault(language, List.of()).forEach(word -> words.put(word, Marker.CLOCK));
    markers = new Lexicon<>(words, false);
    dayPeriods = new Lexicon<>(dayPeriods(locale), true);
  }

  /** Words like "evening", "nachmittags". */
  private static Map<String, Boolean> dayPeriods(ULocale locale) {
    Map<String, Boolean> words = new LinkedHashMap<>();
    SimpleDateFormat format = new SimpleDateFormat("BBBB", locale);
    format.setTimeZone(TimeZone.GMT_ZONE);
    GregorianCalendar time = new GregorianCalendar(TimeZone.GMT_ZONE, ULocale.ROOT);
    for (int hour = 0; hour < 24; hour++) {
      time.set(GregorianCalendar.HOUR_OF_DAY, hour);
      String period = format.format(time.getTime());
      String word = period.substring(period.lastIndexOf(' ') + 1);
      words.put(word, true);
      if (word.endsWith("s")) {
        words.put(word.substring(0, word.length() - 1), true);
      }
    }
    return words;
  }

  /** Whether a text names a part of the day. */
  boolean hasDayPeriod(String text) {
    return hasDayPeriod(text, 0, text.length());
  }

  private boolean hasDayPeriod(String text, int from, int to) {
    for (int at = from; at < to; at++) {
      if (Chars.isWordStart(text, at) && dayPeriods.at(text, at, 2) != null) {
        return true;
      }
    }
    return false;
  }

  private static void put(Map<String, Marker> words, Marker marker, String... all) {
    for (String word : all) {
      words.putIfAbsent(word, marker);
    }
  }

  /** The time whose hour starts at a place; null if there is none. */
  NumberSpan read(String text, int at, int floor) {
    int end = Chars.digitsEnd(text, at);
    if (end - at > 2 || end == text.length() || Chars.number(text, at, end) > 24) {
      return null;
    }
    if (at > floor && Chars.isAnyOf(text, at - 1, ":.,/-\u2013") && Chars.isWordEnd(text, at - 1)) {
      boolean inside = at > 1 && Chars.isDigitAt(text, at - 2);
      if (inside) {
        return null;
      }
    }
    int start = at;
    Marker before = null;
    int word = wordBefore(text, at, floor);
    if (word >= 0) {
      before = markers.of(text.substring(word, Chars.skipSpaceBack(text, at, floor)));
      start = before == null ? at : word;
    }
    return time(text, new Hour(start, at, end, before));
  }

  /** An hour's digits, and the marker before them. */
  private record Hour(int start, int digits, int end, Marker before) {
    int of(String text) {
      return Chars.number(text, digits, end);
    }
  }

  private NumberSpan time(String text, Hour hour) {
    int end = hour.end;
    int minutes = minutesAfter(text, end);
    char separator = text.charAt(end);
    if (minutes < 0) {
      Lexicon.Match<Marker> marker = markers.at(text, Chars.skipSpace(text, end));
      if (marker == null && hour.before == null) {
        return null;
      }
      if (marker == null) {
        return span(text, hour, end, hour.before, List.of(0));
      }
      int after = Chars.skipSpace(text, marker.end());
      boolean more = marker.meaning() == Marker.CLOCK && after > marker.end();
      if (more && twoDigits(text, after)) {
        return span(text, hour, after + 2, Marker.CLOCK, List.of(minute(text, after)));
      }
      return span(text, hour, marker.end(), marker.meaning(), List.of(0));
    }
    end = minutes + 2;
    List<Integer> parts = List.of(minute(text, minutes));
    if (separator == ':' && Chars.isAnyOf(text, end, ":") && twoDigits(text, end + 1)) {
      parts = List.of(parts.get(0), minute(text, end + 1));
      end += 3;
    }
    boolean goesOn = Chars.isAnyOf(text, end, ":.,/") && Chars.isDigitAt(text, end + 1);
    if (goesOn || Chars.isDigitAt(text, end)) {
      return null;
    }
    end = Chars.isAnyOf(text, end, MINUTE_LETTERS) ? end + 1 : end;
    int word = Chars.isAnyOf(text, end, "-") ? end + 1 : Chars.skipSpace(text, end);
    Lexicon.Match<Marker> marker = markers.at(text, word);
    if (marker == null && Chars.isAnyOf(text, end, "h") && Chars.isWordEnd(text, end + 1)) {
      marker = new Lexicon.Match<>(end + 1, Marker.CLOCK);
    }
    Marker says = marker != null ? marker.meaning() : hour.before;
    if (says == null && separator != ':') {
      says = separator == '.' ? null : Marker.CLOCK;
      if (says == null) {
        return null;
      }
    }
    return span(text, hour, marker == null ? end : marker.end(), says, parts);
  }

  /** Where the minutes start after an hour; -1 if there are none. */
  private int minutesAfter(String text, int end) {
    int at = end;
    if (!Chars.isAnyOf(text, at, ":.")) {
      at = Chars.skipSpace(text, at);
      if (!Chars.isAnyOf(text, at, HOUR_LETTERS) || (text.charAt(at) < 0x80 && !withH)) {
        return -1;
      }
      at = Chars.skipSpace(text, at + 1);
      return twoDigits(text, at) ? at : -1;
    }
    return twoDigits(text, at + 1) ? at + 1 : -1;
  }

  private static boolean twoDigits(String text, int at) {
    return Chars.digitsEnd(text, at) == at + 2 && Chars.number(text, at, at + 2) < 60;
  }

  private static int minute(String text, int at) {
    return Chars.number(text, at, at + 2);
  }

  private NumberSpan span(
      String text, Hour written, int markedEnd, Marker marker, List<Integer> minutes) {
    int hour = written.of(text);
    if (marker == Marker.AFTER_NOON && hour < 12) {
      hour += 12;
    } else if (marker == Marker.BEFORE_NOON && hour == 12) {
      hour = 0;
    }
    if (hour > 24 || (hour == 24 && minutes.get(0) > 0)) {
      return null;
    }
    int end = markedEnd;
    if (end == text.length() && marker != null && text.charAt(end - 1) == '.') {
      end--; // it ends the sentence, too
    }
    NumberValue value =
        minutes.size() == 1
            ? NumberValue.of(NumberKind.TIME, hour, minutes.get(0))
            : NumberValue.of(NumberKind.TIME, hour, minutes.get(0), minutes.get(1));
    int near = Math.max(0, written.start - NEAR);
    int after = Math.min(text.length(), end + NEAR);
    boolean open =
        marker == null
            || marker == Marker.HOUR
            || (marker == Marker.CLOCK && hour <= 12 && hasDayPeriod(text, near, after));
    Style style = open ? Style.CLOCK : Style.MARKED_CLOCK;
    return NumberSpan.of(text, written.start, end, value, NumberForm.of(style, value.numbers()));
  }

  /** Where the word before a place starts, which a space may separate; -1 if there is none. */
  static int wordBefore(String text, int at, int floor) {
    int end = Chars.skipSpaceBack(text, at, floor);
    int start = end;
    while (start > floor && end - start < 24 && isOfWord(text, start - 1, end)) {
      start--;
    }
    return start < end ? start : -1;
  }

  private static boolean isOfWord(String text, int at, int end) {
    char c = text.charAt(at);
    return (Chars.isWord(c) && !Chars.isDigit(c)) || (c == '.' && at == end - 1);
  }
}
