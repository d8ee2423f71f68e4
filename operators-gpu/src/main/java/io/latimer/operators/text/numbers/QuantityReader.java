package io.latimer.operators.text.numbers;

import com.ibm.icu.text.RuleBasedNumberFormat;
import com.ibm.icu.util.ULocale;
import io.latimer.operators.text.numbers.FigureReader.Figure;
import io.latimer.operators.text.numbers.NumberForm.Style;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Reads a figure with what belongs to it: sign, unit, "million", the ending of an ordinal. */
final class QuantityReader {
  private static final String SIGNS = "-\u2212\u2013+\u00B1";

  /** The sign of a number after a word that means "minus" or "less". */
  static final String MAYBE_MINUS = "∓";

  /** Languages in which the word for minus means "less", too. */
  private static final Set<String> LESS = Set.of("fr", "es", "pt", "it", "ca", "gl", "ro");

  /** Languages that write ordinals with a point. */
  private static final Set<String> POINTED =
      Set.of("de", "da", "nb", "nn", "no", "fi", "cs", "sk", "pl", "hu", "tr", "sl", "hr", "et");

  /** Endings that ICU's rules do not give. */
  private static final Map<String, String> ENDINGS =
      Map.of(
          "fr", "er re e ème ème eme nd nde es",
          "es", ".º º ª .ª er .er",
          "pt", "º ª o a",
          "it", "º ª °",
          "nl", "e de ste",
          "de", "ter te ten tes",
          "ru", "-й -го -му -я -е -ом -х -ой -ю -м",
          "sv", ":e :a");

  private static final Map<String, String> DECADES =
      Map.of("en", "s 's", "de", "er ern", "nl", "er");

  private final String language;
  private final FigureReader figures;
  private final Units units;
  private final Scales scales;
  private final Lexicon<Style> endings;
  private final String minus;

  QuantityReader(ULocale locale, FigureReader figures, Units units) {
    this.language = locale.getLanguage();
    this.figures = figures;
    this.units = units;
    this.scales = new Scales(locale);
    this.endings = new Lexicon<>(endings(locale), true);
    this.minus = minus(locale);
  }

  private static Map<String, Style> endings(ULocale locale) {
    Map<String, Style> endings = new LinkedHashMap<>();
    String language = locale.getLanguage();
    for (String ending : DECADES.getOrDefault(language, "").split(" ", -1)) {
      endings.put(ending, Style.DECADE);
    }
    for (String ending : ENDINGS.getOrDefault(language, "").split(" ", -1)) {
      endings.put(ending, Style.ORDINAL);
    }
    RuleBasedNumberFormat rules = new RuleBasedNumberFormat(locale, RuleBasedNumberFormat.ORDINAL);
    for (String set : rules.getRuleSetNames()) {
      for (int i = 1; i < 32 && set.startsWith("%digits-ordinal"); i++) {
        String text = rules.format(i, set);
        String ending = text.substring(Chars.digitsEnd(text, 0));
        if (ending.length() < text.length() && !ending.equals(".") && !ending.isEmpty()) {
          endings.putIfAbsent(ending, Style.ORDINAL);
        }
      }
    }
    return endings;
  }

  /** The word before negative numbers. */
  private static String minus(ULocale locale) {
    RuleBasedNumberFormat rules = new RuleBasedNumberFormat(locale, RuleBasedNumberFormat.SPELLOUT);
    String negative = rules.format(-3);
    String positive = rules.format(3);
    return negative.endsWith(positive)
        ? negative.substring(0, negative.length() - positive.length()).strip()
        : "";
  }

  /** Where the word for minus before a place starts; -1 if there is none. */
  private int minusBefore(String text, int at, int floor) {
    int start = Chars.skipSpaceBack(text, at, floor) - minus.length();
    boolean is =
        !minus.isEmpty()
            && start >= floor
            && text.regionMatches(true, start, minus, 0, minus.length())
            && Chars.isWordStart(text, start);
    boolean afterNumber = is && floor > 0 && Chars.skipSpaceBack(text, start, floor) == floor;
    return is && !afterNumber ? start : -1;
  }

  /** Whether a word before a number may make it negative. */
  boolean mayBeMinus(String text, int at) {
    return minusBefore(text, at, 0) >= 0;
  }

  /**
   * Reads at the first digit of a figure.
   *
   * @param floor where the text before it ends that something else has
   * @param names whether units may be names
   * @return null if the digits are no number
   */
  Quantity read(String text, int at, int floor, boolean names) {
    return read(text, at, floor, names, false);
  }

  /** The same at the second figure of a range, which has the money of the first: "$5-10m". */
  Quantity readSecond(Quantity first, String text, int at, int floor, boolean names) {
    return read(text, at, floor, names, Units.isMoney(first.unit()));
  }

  private Quantity read(String text, int at, int floor, boolean names, boolean money) {
    boolean point = isPoint(text, at, floor);
    Figure figure = point ? figures.readDecimals(text, at) : figures.read(text, at);
    if (figure.value() == null) {
      return null;
    }
    int start = point ? at - 1 : at;
    BigDecimal value = figure.value();
    Before before = withMinus(text, before(text, start, floor), floor);
    if (before.sign.equals("-")) {
      value = value.negate();
    }
    return after(text, figure, value, before, names, money);
  }

  /** A point before a decimal fraction: {@code .5}. */
  private boolean isPoint(String text, int at, int floor) {
    return figures.decimal() == '.'
        && at > floor
        && text.charAt(at - 1) == '.'
        && (at - 1 == floor || " (-$".indexOf(text.charAt(at - 2)) >= 0);
  }

  /** What belongs to a figure and is before it. */
  private record Before(int start, String sign, String symbol, String unit, boolean spaced) {}

  private Before withMinus(String text, Before before, int floor) {
    int word = before.sign.isEmpty() ? minusBefore(text, before.start, floor) : -1;
    if (word < 0) {
      return before;
    }
    boolean less = LESS.contains(language);
    return new Before(
        less ? before.start : word,
        less ? MAYBE_MINUS : "-",
        before.symbol,
        before.unit,
        before.spaced);
  }

  private Before before(String text, int at, int floor) {
    int start = at;
    String sign = sign(text, start, floor);
    start -= sign.isEmpty() ? 0 : 1;
    int beforeSpace = Chars.skipSpaceBack(text, start, floor);
    int money = units.moneyBefore(text, beforeSpace, floor);
    String symbol = "";
    String unit = "";
    boolean spaced = false;
    if (money >= 0) {
      symbol = text.substring(money, beforeSpace);
      unit = units.money(symbol);
      spaced = beforeSpace < start;
      start = money;
    } else if (units.percentFirst() && start > floor && "%٪".indexOf(text.charAt(start - 1)) >= 0) {
      symbol = "%";
      unit = Units.PERCENT;
      start--;
    }
    if (sign.isEmpty() && start < at) {
      sign = sign(text, start, floor);
      start -= sign.isEmpty() ? 0 : 1;
    }
    return new Before(start, sign, symbol, unit, spaced);
  }

  /** The sign that ends at a place, if nothing that a dash could join is before it. */
  private static String sign(String text, int at, int floor) {
    if (at <= floor || SIGNS.indexOf(text.charAt(at - 1)) < 0) {
      return "";
    }
    if (at - 1 > 0) {
      char before = text.charAt(at - 2);
      if (Chars.isWord(before) || ")]%°.,/".indexOf(before) >= 0 || SIGNS.indexOf(before) >= 0) {
        return "";
      }
    }
    char c = text.charAt(at - 1);
    return c == '+' || c == '±' ? String.valueOf(c) : "-";
  }

  private Quantity after(
      String text, Figure figure, BigDecimal value, Before before, boolean names, boolean money) {
    int end = figure.end();
    int scale = 0;
    String symbol = before.symbol;
    String unit = before.unit;
    boolean spaced = before.spaced;
    Style style = Style.FIGURES;
    if (symbol.isEmpty()) {
      Lexicon.Match<Style> ending = endings.at(text, end);
      if (ending != null && isEnding(ending.meaning(), value)) {
        style = ending.meaning();
        end = ending.end();
      } else if (isPointedOrdinal(text, figure)) {
        style = Style.ORDINAL;
        end++;
      }
    }
    if (style == Style.FIGURES) {
      Lexicon.Match<Integer> power = scales.at(text, end);
      if (power == null && (money || Units.isMoney(unit))) {
        power = scales.ofMoney(text, end);
      }
      if (power != null) {
        scale = power.meaning();
        end = power.end();
      }
      int next = Chars.skipSpace(text, end);
      Lexicon.Match<String> match =
          !symbol.isEmpty() ? null : names ? units.nameAt(text, next) : units.symbolAt(text, next);
      if (match != null) {
        symbol = text.substring(next, match.end());
        unit = match.meaning();
        spaced = next > end;
        end = match.end();
      }
    }
    String sign = before.sign.equals("-") ? "" : before.sign;
    return new Quantity(
        before.start, end, value, figure.grouped(), scale, sign, unit, symbol, spaced, style);
  }

  private static boolean isEnding(Style style, BigDecimal value) {
    return value.scale() == 0
        && (style != Style.DECADE || value.remainder(BigDecimal.TEN).signum() == 0);
  }

  /** A number with a point that does not end the sentence: {@code 3. Mai}. */
  private boolean isPointedOrdinal(String text, Figure figure) {
    int end = figure.end();
    return POINTED.contains(language)
        && end - figure.start() <= 3
        && figure.value().scale() == 0
        && end + 2 < text.length()
        && text.charAt(end) == '.'
        && Chars.isSpace(text.charAt(end + 1))
        && Character.isLetter(text.charAt(end + 2));
  }
}
