package io.latimer.operators.text.numbers;

import com.ibm.icu.number.LocalizedNumberFormatter;
import com.ibm.icu.number.Notation;
import com.ibm.icu.number.NumberFormatter;
import com.ibm.icu.number.NumberFormatter.GroupingStrategy;
import com.ibm.icu.number.NumberFormatter.SignDisplay;
import com.ibm.icu.number.NumberFormatter.UnitWidth;
import com.ibm.icu.number.NumberRangeFormatter;
import com.ibm.icu.number.Precision;
import com.ibm.icu.text.DateTimePatternGenerator;
import com.ibm.icu.text.RuleBasedNumberFormat;
import com.ibm.icu.text.SimpleDateFormat;
import com.ibm.icu.util.Currency;
import com.ibm.icu.util.GregorianCalendar;
import com.ibm.icu.util.MeasureUnit;
import com.ibm.icu.util.TimeZone;
import com.ibm.icu.util.ULocale;
import io.latimer.operators.text.numbers.NumberForm.Style;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Writes numbers as a language does, by ICU's patterns, and reads them back. */
final class NumberWriter {
  /** Languages that write results of games with a colon. */
  private static final Set<String> COLON_SCORES =
      Set.of("de", "ru", "uk", "be", "bg", "pl", "cs", "sk", "sl", "hr", "sr", "lt", "lv", "zh");

  private static final Map<String, String> AFTER_TIME = Map.of("de", " Uhr", "nl", " uur");
  private static final Map<String, String> AFTER_DECADE = Map.of("de", "er", "en", "s");
  private static final Pattern BIDI_MARKS = Pattern.compile("[\u200E\u200F\u061C]");

  /** More than there are units and decimals in use. */
  private static final int MAX_FORMATTERS = 1024;

  /**
   * How digits are written.
   *
   * @param decimals after the separator
   * @param unit null for none
   * @param width of the unit; null for none
   */
  private record Format(
      boolean grouped,
      boolean signed,
      boolean compact,
      int decimals,
      MeasureUnit unit,
      UnitWidth width) {}

  private final ULocale locale;
  private final NumberFinder finder;
  private final Map<Format, LocalizedNumberFormatter> formatters = new ConcurrentHashMap<>();

  NumberWriter(ULocale locale, NumberFinder finder) {
    this.locale = locale;
    this.finder = finder;
  }

  /** The first of several notations that a reader of the language reads as the same value. */
  String write(NumberSpan number) {
    for (String text : notations(number)) {
      String plain = BIDI_MARKS.matcher(text).replaceAll("");
      List<NumberSpan> read = finder.find(plain, false, at -> false);
      if (read.size() == 1 && read.get(0).value().equals(number.value())) {
        return plain;
      }
    }
    return number.text();
  }

  private List<String> notations(NumberSpan number) {
    return switch (number.value().kind()) {
      case NUMBER -> quantities(number);
      case TOLERANCE -> quantities(number).stream().map(text -> "±" + text).toList();
      case RANGE -> ranges(number);
      case SCORE -> scores(number);
      case DATE -> dates(number);
      case TIME -> times(number);
      case FRACTION, CODE -> List.of();
    };
  }

  private List<String> quantities(NumberSpan number) {
    BigDecimal value = number.value().numbers().get(0);
    NumberForm form = number.form();
    if (form.style() == Style.ORDINAL) {
      RuleBasedNumberFormat rules =
          new RuleBasedNumberFormat(locale, RuleBasedNumberFormat.ORDINAL);
      return List.of(rules.format(value.longValue()), plain(value, form));
    }
    if (form.style() == Style.DECADE) {
      String ending = AFTER_DECADE.getOrDefault(locale.getLanguage(), "");
      return List.of(value.toPlainString() + ending, value.toPlainString());
    }
    BigDecimal figure = form.scale() > 0 ? value : form.figures().get(0);
    return withUnit(figure, number.value().unit(), form);
  }

  /** A number without its unit. */
  private String plain(BigDecimal figure, NumberForm form) {
    return with(null, null, figure, form);
  }

  /** A number with a unit, or without one. */
  private String with(MeasureUnit unit, UnitWidth width, BigDecimal figure, NumberForm form) {
    boolean compact = form.scale() > 0;
    int decimals = compact ? 0 : Math.max(0, figure.scale());
    boolean signed = form.sign().equals("+");
    Format format = new Format(form.grouped(), signed, compact, decimals, unit, width);
    LocalizedNumberFormatter formatter = formatters.get(format);
    if (formatter == null) {
      formatter = formatter(format);
      if (formatters.size() < MAX_FORMATTERS) {
        formatters.put(format, formatter);
      }
    }
    return formatter.format(figure).toString();
  }

  private LocalizedNumberFormatter formatter(Format format) {
    LocalizedNumberFormatter formatter =
        NumberFormatter.withLocale(locale)
            .grouping(format.grouped ? GroupingStrategy.AUTO : GroupingStrategy.OFF)
            .sign(format.signed ? SignDisplay.ALWAYS : SignDisplay.AUTO);
    formatter =
        format.compact
            ? formatter.notation(Notation.compactLong()).precision(Precision.unlimited())
            : formatter.precision(Precision.fixedFraction(format.decimals));
    formatter = format.unit == null ? formatter : formatter.unit(format.unit);
    return format.width == null ? formatter : formatter.unitWidth(format.width);
  }

  private List<String> withUnit(BigDecimal figure, String unit, NumberForm form) {
    String plain = plain(figure, form);
    if (unit.isEmpty()) {
      NumberForm scaled =
          new NumberForm(Style.FIGURES, form.figures(), true, 0, form.sign(), "", false);
      return List.of(plain, plain(figure, scaled));
    }
    if (form.scale() > 0) {
      NumberForm unscaled = form.withoutScale();
      BigDecimal last = form.figures().get(form.figures().size() - 1);
      String digits = plain(last, unscaled);
      return withUnit(last, unit, unscaled).stream()
          .map(text -> text.replace(digits, plain))
          .toList();
    }
    List<String> all = new ArrayList<>();
    if (Units.isMoney(unit)) {
      Currency currency = Currency.getInstance(unit);
      if (!form.symbol().equals(unit)) {
        all.add(with(currency, UnitWidth.NARROW, figure, form));
      }
      all.add(with(currency, UnitWidth.ISO_CODE, figure, form));
      all.add(plain + " " + unit);
    } else if (unit.equals(Units.PERCENT) || unit.equals("permille")) {
      MeasureUnit sign = unit.equals(Units.PERCENT) ? MeasureUnit.PERCENT : MeasureUnit.PERMILLE;
      all.add(with(sign, null, figure, form));
    }
    all.add(plain + (form.spaced() ? " " : "") + form.symbol());
    if (!Units.isMoney(unit)) {
      MeasureUnit measure = MeasureUnit.forIdentifier(unit);
      all.add(with(measure, UnitWidth.SHORT, figure, form));
    }
    return all;
  }

  private List<String> ranges(NumberSpan number) {
    NumberForm form = number.form();
    BigDecimal first = form.figures().get(0);
    BigDecimal second = form.scale() > 0 ? number.value().numbers().get(1) : form.figures().get(1);
    String from = plain(first, form.withoutScale());
    String to = plain(second, form);
    String local = NumberRangeFormatter.withLocale(locale).formatRange(1, 2).toString();
    List<String> all = new ArrayList<>();
    for (String unit : withUnit(second, number.value().unit(), form)) {
      for (String dash : List.of(local.substring(1, local.length() - 1), "–", "-")) {
        all.add(unit.replace(to, from + dash + to));
      }
    }
    return all;
  }

  private List<String> scores(NumberSpan number) {
    boolean colon = number.text().indexOf(':') >= 0 || COLON_SCORES.contains(locale.getLanguage());
    List<BigDecimal> figures = number.form().figures();
    String from = plain(figures.get(0), number.form());
    String to = plain(figures.get(1), number.form());
    return List.of(from + (colon ? ":" : "-") + to, from + "-" + to, from + "–" + to);
  }

  private List<String> dates(NumberSpan number) {
    if (number.form().style() == Style.ISO_DATE) {
      return List.of(number.text());
    }
    List<BigDecimal> parts = number.value().numbers();
    boolean hasYear = parts.size() == 3;
    int year = hasYear ? parts.get(0).intValue() : 2024;
    String month =
        switch (number.form().style()) {
          case MONTH_NAME -> "MMMM";
          case MONTH_ABBREVIATION -> "MMM";
          default -> "M";
        };
    String years = !hasYear ? "" : year < 100 ? "yy" : "y";
    GregorianCalendar date =
        date(year, parts.get(parts.size() - 2).intValue(), parts.get(parts.size() - 1).intValue());
    return List.of(format(years + month + "d", date), format(years + "MMMMd", date));
  }

  private static GregorianCalendar date(int year, int month, int day) {
    GregorianCalendar date = new GregorianCalendar(TimeZone.GMT_ZONE, ULocale.ROOT);
    date.clear();
    date.set(year, month - 1, day);
    return date;
  }

  private String format(String skeleton, GregorianCalendar date) {
    String pattern = DateTimePatternGenerator.getInstance(locale).getBestPattern(skeleton);
    SimpleDateFormat format = new SimpleDateFormat(pattern, locale);
    format.setTimeZone(TimeZone.GMT_ZONE);
    return format.format(date.getTime());
  }

  private List<String> times(NumberSpan number) {
    List<BigDecimal> parts = number.value().numbers();
    int hour = parts.get(0).intValue();
    String after = AFTER_TIME.getOrDefault(locale.getLanguage(), "");
    if (number.form().style() == Style.CLOCK || hour == 24) {
      String plain = hour + String.format(Locale.ROOT, ":%02d", parts.get(1).intValue());
      return List.of(number.text(), plain + after, plain);
    }
    GregorianCalendar time = date(2024, 1, 1);
    time.set(GregorianCalendar.HOUR_OF_DAY, hour);
    time.set(GregorianCalendar.MINUTE, parts.get(1).intValue());
    boolean seconds = parts.size() == 3;
    time.set(GregorianCalendar.SECOND, seconds ? parts.get(2).intValue() : 0);
    String text = format(seconds ? "jms" : "jm", time);
    return List.of(text + after, text);
  }
}
