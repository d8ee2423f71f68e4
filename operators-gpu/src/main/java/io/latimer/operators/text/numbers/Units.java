package io.latimer.operators.text.numbers;

import com.ibm.icu.number.LocalizedNumberFormatter;
import com.ibm.icu.number.NumberFormatter;
import com.ibm.icu.number.NumberFormatter.UnitWidth;
import com.ibm.icu.text.PluralRules;
import com.ibm.icu.util.Currency;
import com.ibm.icu.util.GregorianCalendar;
import com.ibm.icu.util.MeasureUnit;
import com.ibm.icu.util.ULocale;
import java.util.Arrays;
import java.util.Date;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The symbols of units and currencies, and a language's names of them. */
final class Units {
  static final String PERCENT = "percent";

  /** ICU's identifiers, and the symbols that all languages know. */
  private static final Map<String, String> MEASURES = new LinkedHashMap<>();

  static {
    measures(
        "percent %,％,٪",
        "permille ‰",
        "microgram µg,μg,mcg",
        "milligram mg",
        "gram g",
        "kilogram kg",
        "tonne t",
        "pound lb,lbs",
        "ounce oz",
        "nanometer nm",
        "micrometer µm,μm",
        "millimeter mm",
        "centimeter cm",
        "decimeter dm",
        "meter m",
        "kilometer km",
        "mile mi",
        "foot ft",
        "yard yd",
        "square-centimeter cm²",
        "square-meter m²,m2,㎡",
        "square-kilometer km²,km2",
        "hectare ha",
        "cubic-centimeter cm³",
        "cubic-meter m³,m3",
        "milliliter ml,mL",
        "centiliter cl",
        "deciliter dl",
        "liter l,L",
        "kilometer-per-hour km/h,kph",
        "mile-per-hour mph",
        "meter-per-second m/s",
        "celsius °C,℃,° C",
        "fahrenheit °F,℉,° F",
        "degree °",
        "hertz Hz",
        "kilohertz kHz",
        "megahertz MHz",
        "gigahertz GHz",
        "watt W",
        "kilowatt kW",
        "megawatt MW",
        "gigawatt GW",
        "kilowatt-hour kWh",
        "joule J",
        "kilojoule kJ",
        "kilocalorie kcal",
        "volt V",
        "ampere A",
        "ohm Ω",
        "byte B",
        "kilobyte kB,KB",
        "megabyte MB",
        "gigabyte GB",
        "terabyte TB",
        "megabit Mbit",
        "gigabit Gbit",
        "pascal Pa",
        "hectopascal hPa",
        "hour h",
        "minute min",
        "second s",
        "millisecond ms");
  }

  private static final Map<String, String> SIGNS =
      Map.ofEntries(
          Map.entry("$", "USD"),
          Map.entry("US$", "USD"),
          Map.entry("€", "EUR"),
          Map.entry("£", "GBP"),
          Map.entry("¥", "JPY"),
          Map.entry("￥", "JPY"),
          Map.entry("₹", "INR"),
          Map.entry("₽", "RUB"),
          Map.entry("₩", "KRW"),
          Map.entry("₺", "TRY"),
          Map.entry("zł", "PLN"),
          Map.entry("Kč", "CZK"),
          Map.entry("R$", "BRL"),
          Map.entry("₪", "ILS"),
          Map.entry("₴", "UAH"),
          Map.entry("฿", "THB"),
          Map.entry("₫", "VND"),
          Map.entry("₱", "PHP"),
          Map.entry("₦", "NGN"),
          Map.entry("C$", "CAD"),
          Map.entry("CA$", "CAD"),
          Map.entry("A$", "AUD"),
          Map.entry("AU$", "AUD"),
          Map.entry("NZ$", "NZD"),
          Map.entry("HK$", "HKD"),
          Map.entry("NT$", "TWD"),
          Map.entry("MX$", "MXN"),
          Map.entry("S$", "SGD"),
          Map.entry("元", "CNY"),
          Map.entry("円", "JPY"),
          Map.entry("руб.", "RUB"),
          Map.entry("Fr.", "CHF"));

  /** Names of money without its country: a currency, and others of the same name. */
  private static final Map<String, List<String>> NAMESAKES =
      Map.of(
          "USD", List.of("AUD", "CAD"),
          "GBP", List.of("EGP", "SYP"),
          "INR", List.of("PKR", "NPR"),
          "CHF", List.of("GNF", "RWF"),
          "RUB", List.of("BYN"),
          "MXN", List.of("ARS", "CLP"),
          "KRW", List.of("KPW"));

  private static final List<String> NAMED =
      List.of(
          "USD", "EUR", "GBP", "JPY", "CNY", "INR", "RUB", "KRW", "CHF", "CAD", "AUD", "NZD", "SEK",
          "NOK", "DKK", "PLN", "CZK", "HUF", "TRY", "BRL", "MXN", "ARS", "ZAR", "ILS", "UAH", "THB",
          "VND");

  /** Codes that are words, too. */
  private static final Set<String> WORDS =
      Set.of("ALL", "TOP", "TRY", "CUP", "PEN", "MAD", "SOS", "BAM", "GEL", "BOB", "COP", "MOP");

  /** Short names that are words, too. */
  private static final Set<String> AMBIGUOUS = Set.of("in", "a", "an", "do", "no", "on", "as");

  /** What people say beside ICU's names. */
  private static final Map<String, Map<String, String>> COLLOQUIAL =
      Map.of(
          "en",
          Map.of(
              "per cent", PERCENT,
              "miles an hour", "mile-per-hour",
              "kilometers an hour", "kilometer-per-hour"),
          "de",
          Map.of(
              "Meilen in der Stunde", "mile-per-hour",
              "Kilometer in der Stunde", "kilometer-per-hour",
              "Kilo", "kilogram"));

  private static final double[] PLURALS = {1, 2, 3, 5, 1.5};

  /** When the currencies were in use. */
  private static final Date NOW = new GregorianCalendar(2026, 0, 1).getTime();

  private final ULocale locale;
  private final Map<String, String> money = new LinkedHashMap<>();
  private final Lexicon<String> symbols;
  private volatile Lexicon<String> names;
  private final boolean percentFirst;

  Units(ULocale locale) {
    this.locale = locale;
    for (Currency currency : Currency.getAvailableCurrencies()) {
      String code = currency.getCurrencyCode();
      if (Currency.isAvailable(code, NOW, NOW) && !WORDS.contains(code)) {
        money.put(code, code);
      }
    }
    money.putAll(SIGNS);
    Currency own = Currency.getInstance(ULocale.addLikelySubtags(locale));
    if (own != null) {
      String symbol = own.getSymbol(locale);
      money.put(symbol, SIGNS.getOrDefault(symbol, own.getCurrencyCode()));
    }
    if (locale.getLanguage().equals("zh")) {
      money.put("¥", "CNY");
      money.put("￥", "CNY");
    }
    for (String code : NAMED) {
      money.putIfAbsent(Currency.getInstance(code).getSymbol(locale), code);
    }
    Map<String, String> all = new LinkedHashMap<>(money);
    MEASURES.forEach(
        (id, list) -> Arrays.stream(list.split(",", -1)).forEach(symbol -> all.put(symbol, id)));
    Map<String, Set<String>> fullNames = new LinkedHashMap<>();
    for (String id : MEASURES.keySet()) {
      MeasureUnit unit = MeasureUnit.forIdentifier(id);
      Set<String> full = names(unit, UnitWidth.FULL_NAME);
      fullNames.put(id, full);
      names(unit, UnitWidth.SHORT).stream()
          .filter(name -> name.length() > 1 && !AMBIGUOUS.contains(name))
          .filter(name -> !full.contains(name) || !Chars.isCodeLetter(name.charAt(0))) // a word
          .forEach(name -> all.putIfAbsent(name, id));
    }
    fullNames.forEach(
        (id, names) ->
            names.stream()
                .filter(name -> Chars.isUnspaced(name.charAt(0)))
                .forEach(name -> all.putIfAbsent(name, id)));
    symbols = new Lexicon<>(all, false);
    percentFirst =
        NumberFormatter.withLocale(locale)
            .unit(MeasureUnit.PERCENT)
            .format(5)
            .toString()
            .startsWith("%");
  }

  private static void measures(String... lines) {
    for (String line : lines) {
      int space = line.indexOf(' ');
      MEASURES.put(line.substring(0, space), line.substring(space + 1));
    }
  }

  /** Whether the language writes the sign of percent before a number. */
  boolean percentFirst() {
    return percentFirst;
  }

  static boolean isMoney(String unit) {
    return unit.length() == 3 && Character.isUpperCase(unit.charAt(0));
  }

  /** The unit whose symbol starts at a place; null if there is none. */
  Lexicon.Match<String> symbolAt(String text, int from) {
    return symbols.at(text, from);
  }

  /** The unit whose name or symbol starts at a place, with endings; null if there is none. */
  Lexicon.Match<String> nameAt(String text, int from) {
    Lexicon.Match<String> symbol = symbolAt(text, from);
    return symbol != null ? symbol : names().at(text, from, 3);
  }

  /** Where the symbol of a currency starts that ends at a place; -1 if there is none. */
  int moneyBefore(String text, int end, int floor) {
    for (int size = 4; size > 0; size--) {
      int start = end - size;
      if (start >= floor && money.containsKey(text.substring(start, end))) {
        boolean word = Chars.isWord(text.charAt(start)) && !Chars.isWordStart(text, start);
        return word ? -1 : start;
      }
    }
    return -1;
  }

  String money(String symbol) {
    return money.get(symbol);
  }

  /** Whether a translation may write one unit for the other. */
  static boolean areSame(String one, String other) {
    return one.equals(other)
        || (isTemperature(one) && isTemperature(other) && (one + other).contains("degree"))
        || (one + other).equals("JPYCNY")
        || (one + other).equals("CNYJPY");
  }

  private static boolean isTemperature(String unit) {
    return unit.equals("degree") || unit.equals("celsius") || unit.equals("fahrenheit");
  }

  private Lexicon<String> names() {
    if (names == null) {
      names = new Lexicon<>(findNames(), true);
    }
    return names;
  }

  private Map<String, String> findNames() {
    Map<String, String> found = new LinkedHashMap<>();
    for (String id : MEASURES.keySet()) {
      names(MeasureUnit.forIdentifier(id), UnitWidth.FULL_NAME).stream()
          .filter(name -> name.length() > 2 || !Chars.isCodeLetter(name.charAt(0))) // no symbol
          .forEach(name -> found.putIfAbsent(name, id));
    }
    found.putAll(COLLOQUIAL.getOrDefault(locale.getLanguage(), Map.of()));
    for (String code : NAMED) {
      Set<String> full = moneyNames(code);
      full.forEach(name -> found.putIfAbsent(name, code));
      Set<String> common = words(full);
      for (String other : NAMESAKES.getOrDefault(code, List.of())) {
        common.retainAll(words(moneyNames(other)));
      }
      if (NAMESAKES.containsKey(code)) {
        common.stream()
            .filter(word -> word.length() > 2)
            .forEach(word -> found.putIfAbsent(word, code));
      }
    }
    return found;
  }

  private Set<String> moneyNames(String code) {
    Currency currency = Currency.getInstance(code);
    Set<String> found = new HashSet<>();
    for (String plural : PluralRules.forLocale(locale).getKeywords()) {
      found.add(currency.getName(locale, Currency.PLURAL_LONG_NAME, plural, null));
    }
    found.add(currency.getName(locale, Currency.LONG_NAME, null));
    return found;
  }

  private static Set<String> words(Set<String> names) {
    Set<String> words = new HashSet<>();
    names.forEach(
        name -> words.addAll(List.of(name.toLowerCase(Locale.ROOT).split("[ \\-\u00A0]", -1))));
    return words;
  }

  /** What follows numbers of a unit. */
  private Set<String> names(MeasureUnit unit, UnitWidth width) {
    Set<String> found = new HashSet<>();
    LocalizedNumberFormatter plain = NumberFormatter.withLocale(locale);
    LocalizedNumberFormatter named = plain.unit(unit).unitWidth(width);
    for (double number : PLURALS) {
      String digits = plain.format(number).toString();
      String text = named.format(number).toString();
      if (text.startsWith(digits)) {
        found.add(text.substring(digits.length()).replace('\u00A0', ' ').strip());
      }
    }
    found.remove("");
    return found;
  }
}
