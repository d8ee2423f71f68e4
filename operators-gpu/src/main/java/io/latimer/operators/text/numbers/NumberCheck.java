package io.latimer.operators.text.numbers;

import com.ibm.icu.text.Normalizer2;
import io.latimer.operators.text.numbers.NumberForm.Style;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The numbers of a text, each of which accounts for one number of its translation. */
final class NumberCheck {
  /** Candidates that one number is compared with. */
  private static final int MOST_CANDIDATES = 64;

  /** Numbers that a translation may add: "a", "twice". */
  private static final BigDecimal MOST_ADDED = BigDecimal.valueOf(2);

  private static final BigDecimal LAST_HOUR = BigDecimal.valueOf(24);
  private static final Normalizer2 FOLDING = Normalizer2.getNFKCCasefoldInstance();

  /** A number, or a part of one such as a day. */
  private static final class Atom {
    private final BigDecimal value;
    private final String unit;
    private final boolean anySign;
    private boolean used;

    Atom(BigDecimal value, String unit, boolean anySign) {
      this.value = NumberValue.canonical(value);
      this.unit = unit;
      this.anySign = anySign;
    }

    boolean is(BigDecimal number) {
      return !used && (value.equals(number) || (anySign && value.equals(number.negate())));
    }
  }

  /** A number in digits, whose atoms are {@code first} and those after it. */
  private record Found(NumberSpan span, int first) {}

  private final NumberLanguage language;
  private final String text;
  private final boolean isTranslation;
  private final List<Atom> atoms = new ArrayList<>();
  private final Map<BigDecimal, List<Integer>> byValue = new HashMap<>();
  private final Map<NumberValue, Deque<Found>> byMeaning = new HashMap<>();
  private final List<Found> times = new ArrayList<>();
  private final List<Found> dates = new ArrayList<>();
  private final List<Found> decades = new ArrayList<>();
  private int literalLooks;
  private Boolean dayPeriod;
  private String plainText;

  /**
   * A check with the numbers of a text.
   *
   * @param isTranslation whether units must be there, too; else the text is the source, and small
   *     numbers may be new
   */
  NumberCheck(NumberLanguage language, String text, boolean isTranslation) {
    this.language = language;
    this.text = text;
    this.isTranslation = isTranslation;
    for (NumberSpan span : language.finder().find(text, true, at -> false)) {
      addDigits(span);
    }
  }

  /** The numbers that the text does not account for, in order. */
  List<NumberSpan> missing(List<NumberSpan> wanted) {
    boolean[] found = new boolean[wanted.size()];
    int left = 0;
    for (int i = 0; i < found.length; i++) {
      found[i] = takeSame(wanted.get(i)) || isAddable(wanted.get(i));
      left += found[i] ? 0 : 1;
    }
    for (int pass = 0; pass < 2 && left > 0; pass++) {
      if (pass == 1) {
        addWords();
      }
      for (int i = 0; i < found.length; i++) {
        if (!found[i] && take(wanted.get(i))) {
          found[i] = true;
          left--;
        }
      }
    }
    List<NumberSpan> missing = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      if (!found[i]) {
        missing.add(wanted.get(i));
      }
    }
    return missing;
  }

  private boolean isAddable(NumberSpan wanted) {
    NumberValue value = wanted.value();
    return !isTranslation
        && value.kind() == NumberKind.NUMBER
        && value.unit().isEmpty()
        && value.numbers().get(0).signum() >= 0
        && value.numbers().get(0).compareTo(MOST_ADDED) <= 0;
  }

  private void addDigits(NumberSpan span) {
    NumberValue value = span.value();
    Found found = new Found(span, atoms.size());
    byMeaning.computeIfAbsent(value, k -> new ArrayDeque<>()).add(found);
    boolean anySign = span.form().sign().equals(QuantityReader.MAYBE_MINUS);
    List<BigDecimal> numbers = span.isCode() ? span.form().figures() : value.numbers();
    for (BigDecimal number : numbers) {
      add(new Atom(number, span.isCode() ? "" : value.unit(), anySign));
    }
    if (value.kind() == NumberKind.TIME) {
      times.add(found);
    } else if (value.kind() == NumberKind.DATE) {
      dates.add(found);
    } else if (span.form().style() == Style.DECADE) {
      decades.add(found);
    }
  }

  private void addWords() {
    for (NumberSpan span : language.words().evidence(text)) {
      if (span.value().kind() == NumberKind.TIME) {
        addDigits(span);
        continue;
      }
      String unit = language.finder().unitAfter(text, span.end());
      add(new Atom(span.value().numbers().get(0), unit, language.finder().mayBeMinus(text, span)));
    }
    for (int roman : RomanNumerals.find(text)) {
      add(new Atom(BigDecimal.valueOf(roman), "", false));
    }
  }

  private void add(Atom atom) {
    byValue.computeIfAbsent(atom.value.abs(), k -> new ArrayList<>()).add(atoms.size());
    atoms.add(atom);
  }

  private boolean takeSame(NumberSpan wanted) {
    Deque<Found> same = byMeaning.get(wanted.value());
    while (same != null && !same.isEmpty()) {
      if (use(same.poll())) {
        return true;
      }
    }
    return false;
  }

  /** Uses the atoms of a number; false if one of them is used. */
  private boolean use(Found found) {
    return use(found, 0);
  }

  /** Uses the atoms of a number, but for the first ones. */
  private boolean use(Found found, int skipped) {
    NumberSpan span = found.span;
    int end = found.first + (span.isCode() ? span.form().figures() : span.value().numbers()).size();
    for (int i = found.first + skipped; i < end; i++) {
      if (atoms.get(i).used) {
        return false;
      }
    }
    for (int i = found.first + skipped; i < end; i++) {
      atoms.get(i).used = true;
    }
    return true;
  }

  private boolean take(NumberSpan wanted) {
    NumberValue value = wanted.value();
    return switch (value.kind()) {
      case NUMBER, TOLERANCE -> takeNumber(wanted);
      case RANGE, SCORE -> takeAll(value.numbers(), value.unit());
      case FRACTION -> takeFraction(value.numbers());
      case TIME -> takeTime(wanted);
      case DATE -> takeDate(value.numbers());
      case CODE -> takeCode(wanted);
    };
  }

  private boolean takeNumber(NumberSpan wanted) {
    NumberValue value = wanted.value();
    BigDecimal number = value.numbers().get(0);
    return takeAll(value.numbers(), value.unit())
        || (wanted.form().style() == Style.DECADE && takeDecade(number.intValue()))
        || (!isTranslation && isCentury(wanted) && takeCentury(number.intValue()))
        || (value.unit().isEmpty() && (takeShortDecade(number) || takeMinutes(wanted)))
        || (isHour(number) && value.unit().isEmpty() && takeAfternoon(number));
  }

  /** "1980s" for "80er" and the other way, "1800s" for the 19th century. */
  private boolean takeDecade(int year) {
    if (year < 100) {
      return takeAny(1900 + year, 1800 + year, 2000 + year);
    }
    return takeAny(year % 100 == 0 ? year / 100 + 1 : year % 100);
  }

  /** A time that English may write as "10.30". */
  private boolean takeMinutes(NumberSpan wanted) {
    BigDecimal figure = wanted.form().figures().get(0);
    if (figure.scale() != 2 || figure.signum() < 0 || figure.compareTo(LAST_HOUR) > 0) {
      return false;
    }
    BigDecimal[] parts = figure.movePointRight(2).divideAndRemainder(BigDecimal.valueOf(100));
    for (Found time : times.subList(0, Math.min(times.size(), MOST_CANDIDATES))) {
      List<BigDecimal> other = time.span.value().numbers();
      if (sameHour(parts[0], other.get(0)) && parts[1].compareTo(other.get(1)) == 0 && use(time)) {
        return true;
      }
    }
    return false;
  }

  /** "50" for "1950s". */
  private boolean takeShortDecade(BigDecimal number) {
    for (Found decade : decades.subList(0, Math.min(decades.size(), MOST_CANDIDATES))) {
      BigDecimal year = decade.span.value().numbers().get(0);
      if (year.remainder(BigDecimal.valueOf(100)).compareTo(number) == 0 && use(decade)) {
        return true;
      }
    }
    return false;
  }

  private boolean takeAny(int... numbers) {
    for (int number : numbers) {
      if (takeAll(List.of(BigDecimal.valueOf(number)), "")) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCentury(NumberSpan wanted) {
    int number = wanted.value().numbers().get(0).intValue();
    return wanted.form().style() == Style.ORDINAL && number > 10 && number < 22;
  }

  private static boolean isHour(BigDecimal number) {
    return number.stripTrailingZeros().scale() <= 0
        && number.signum() > 0
        && number.compareTo(BigDecimal.valueOf(12)) <= 0;
  }

  /** A time on the hour, after noon. */
  private boolean takeAfternoon(BigDecimal hour) {
    BigDecimal later = hour.add(BigDecimal.valueOf(12));
    for (Found time : times.subList(0, Math.min(times.size(), MOST_CANDIDATES))) {
      List<BigDecimal> parts = time.span.value().numbers();
      if (parts.get(0).compareTo(later) == 0 && parts.get(1).signum() == 0 && use(time)) {
        return true;
      }
    }
    return false;
  }

  /** The 19th century for "1880s". */
  private boolean takeCentury(int century) {
    for (int year = (century - 1) * 100; year < century * 100; year += 10) {
      if (takeAny(year)) {
        return true;
      }
    }
    return false;
  }

  /** Uses numbers that follow each other, one of them or of a list with the unit. */
  private boolean takeAll(List<BigDecimal> numbers, String unit) {
    List<BigDecimal> wanted = numbers.stream().map(NumberValue::canonical).toList();
    List<Integer> places = byValue.getOrDefault(wanted.get(0).abs(), List.of());
    int looks = 0;
    for (int place : places) {
      if (looks++ == MOST_CANDIDATES) {
        // used ones are at the front: drop them once, not for every number
        return places.removeIf(at -> atoms.get(at).used) && takeAll(numbers, unit);
      }
      if (isAt(place, wanted) && hasUnit(place, wanted.size(), unit)) {
        for (int i = 0; i < wanted.size(); i++) {
          atoms.get(place + i).used = true;
        }
        return true;
      }
    }
    return false;
  }

  private boolean isAt(int place, List<BigDecimal> numbers) {
    if (place + numbers.size() > atoms.size()) {
      return false;
    }
    for (int i = 0; i < numbers.size(); i++) {
      if (!atoms.get(place + i).is(numbers.get(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean hasUnit(int place, int size, String unit) {
    if (unit.isEmpty() || !isTranslation) {
      return true;
    }
    for (int i = place; i <= place + size && i < atoms.size(); i++) {
      if (Units.areSame(unit, atoms.get(i).unit)) {
        return true;
      }
    }
    return false;
  }

  private boolean takeFraction(List<BigDecimal> parts) {
    if (parts.get(0).signum() == 0 && takeAll(parts.subList(1, 3), "")) {
      return true;
    }
    if (takeAll(parts, "") || parts.get(2).signum() == 0) {
      return takeAll(parts, "");
    }
    try {
      return takeAll(List.of(parts.get(0).add(parts.get(1).divide(parts.get(2)))), "");
    } catch (ArithmeticException e) {
      return false; // no finite decimals
    }
  }

  private boolean takeTime(NumberSpan wanted) {
    List<BigDecimal> parts = wanted.value().numbers();
    boolean open = wanted.form().style() == Style.CLOCK;
    int looks = Math.min(times.size(), MOST_CANDIDATES);
    for (Found time : times.subList(0, looks)) {
      List<BigDecimal> other = time.span.value().numbers();
      boolean halves = open || time.span.form().style() == Style.CLOCK || hasDayPeriod();
      boolean same = parts.subList(1, parts.size()).equals(other.subList(1, other.size()));
      if (same && halves && sameHour(parts.get(0), other.get(0)) && use(time)) {
        return true;
      }
    }
    for (int shift : new int[] {0, 12, -12}) {
      List<BigDecimal> shifted = new ArrayList<>(parts);
      shifted.set(0, parts.get(0).add(BigDecimal.valueOf(shift)));
      if (shifted.get(0).signum() < 0) {
        continue;
      }
      boolean whole = parts.size() == 2 && parts.get(1).signum() == 0;
      if (takeAll(shifted, "") || (whole && takeAll(shifted.subList(0, 1), ""))) {
        return true;
      }
    }
    return false;
  }

  private boolean hasDayPeriod() {
    if (dayPeriod == null) {
      dayPeriod = language.finder().hasDayPeriod(text);
    }
    return dayPeriod;
  }

  private static boolean sameHour(BigDecimal one, BigDecimal other) {
    return one.intValue() % 12 == other.intValue() % 12;
  }

  private boolean takeDate(List<BigDecimal> parts) {
    int size = parts.size();
    int month = parts.get(size - 2).intValue();
    BigDecimal day = parts.get(size - 1);
    int year = size == 3 ? parts.get(0).intValue() : -1;
    for (Found date : dates.subList(0, Math.min(dates.size(), MOST_CANDIDATES))) {
      List<BigDecimal> other = date.span.value().numbers();
      boolean same = other.subList(other.size() - 2, other.size()).equals(parts.subList(size - 2, size));
      int skipped = year < 0 ? other.size() - 2 : 0;
      if (same && sameYear(year, other) && use(date, skipped)) {
        return true;
      }
    }
    boolean named = language.dates().hasMonth(text, month);
    List<BigDecimal> numbers = new ArrayList<>(List.of(day));
    if (year >= 0) {
      numbers.add(parts.get(0));
    }
    if (!named) {
      numbers.add(parts.get(size - 2));
    }
    return takeEach(numbers);
  }

  private static boolean sameYear(int year, List<BigDecimal> other) {
    if (year < 0) {
      return true;
    }
    int theirs = other.size() == 3 ? other.get(0).intValue() : -1;
    boolean shortened = theirs >= 0 && (year < 100 || theirs < 100);
    return year == theirs || (shortened && year % 100 == theirs % 100);
  }

  /** Uses numbers wherever they are; none of them if one is not there. */
  private boolean takeEach(List<BigDecimal> numbers) {
    List<Atom> taken = new ArrayList<>();
    for (BigDecimal number : numbers) {
      Atom free = null;
      List<Integer> places =
          byValue.getOrDefault(NumberValue.canonical(number).abs(), List.of());
      for (int i = 0; free == null && i < Math.min(places.size(), MOST_CANDIDATES); i++) {
        Atom atom = atoms.get(places.get(i));
        free = atom.is(number) ? atom : null;
      }
      if (free == null) {
        taken.forEach(atom -> atom.used = false);
        return false;
      }
      free.used = true;
      taken.add(free);
    }
    return true;
  }

  private boolean takeCode(NumberSpan wanted) {
    List<BigDecimal> figures = wanted.form().figures();
    if (!figures.isEmpty() && takeAll(figures, "")) {
      return true;
    }
    return literalLooks++ < MOST_CANDIDATES && contains(wanted.text());
  }

  /** Whether the text has the characters, in any case, with no digits before or after them. */
  private boolean contains(String literal) {
    if (plainText == null) {
      plainText = FOLDING.normalize(text);
    }
    return contains(text, literal) || contains(plainText, FOLDING.normalize(literal));
  }

  private static boolean contains(String text, String literal) {
    for (int at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
      if (!Chars.isDigitAt(text, at - 1) && !Chars.isDigitAt(text, at + literal.length())) {
        return true;
      }
    }
    return false;
  }
}
