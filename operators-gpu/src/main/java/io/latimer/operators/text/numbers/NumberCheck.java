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
import java.util.Set;

/** The numbers of a text, each of which accounts for one number of its translation. */
final class NumberCheck {
  /** Numbers that a translation may add: "a", "twice". */
  private static final BigDecimal MOST_ADDED = BigDecimal.valueOf(2);

  private static final BigDecimal LAST_HOUR = BigDecimal.valueOf(24);
  private static final Normalizer2 FOLDING = Normalizer2.getNFKCCasefoldInstance();

  /** A number, whose parts are the atoms from {@code first} to {@code end}. */
  private record Found(NumberSpan span, int first, int end) {}

  private final NumberLanguage language;
  private final String text;
  private final boolean isTranslation;
  private final Atoms atoms;
  private final Map<NumberValue, Deque<Found>> byMeaning = new HashMap<>();
  private final List<Found> times = new ArrayList<>();
  private final List<Found> dates = new ArrayList<>();
  private final List<Found> decades = new ArrayList<>();
  private int literalLooks;
  private Boolean dayPeriod;
  private String plainText;
  private Set<Integer> months;

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
    atoms = new Atoms(isTranslation);
    if (NumberFinder.hasDigits(text)) {
      language.finder().find(text, true, at -> false).forEach(this::addDigits);
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
    boolean anySign = span.form().sign().equals(QuantityReader.MAYBE_MINUS);
    String unit = span.isCode() ? "" : value.unit();
    List<BigDecimal> parts = parts(span);
    for (BigDecimal number : parts) {
      atoms.add(number, unit, anySign, role(value.kind()));
    }
    Found found = new Found(span, atoms.size() - parts.size(), atoms.size());
    byMeaning.computeIfAbsent(value, k -> new ArrayDeque<>()).add(found);
    if (value.kind() == NumberKind.TIME) {
      times.add(found);
    } else if (value.kind() == NumberKind.DATE) {
      dates.add(found);
    } else if (span.form().style() == Style.DECADE) {
      decades.add(found);
    }
  }

  /** The numbers that a number consists of; of a fraction after a whole number, none. */
  private static List<BigDecimal> parts(NumberSpan span) {
    List<BigDecimal> numbers = span.isCode() ? span.form().figures() : span.value().numbers();
    if (span.value().kind() == NumberKind.FRACTION) {
      return numbers.get(0).signum() == 0 ? numbers.subList(1, 3) : List.of();
    }
    return numbers;
  }

  private static Atoms.Role role(NumberKind kind) {
    return switch (kind) {
      case FRACTION -> Atoms.Role.PART;
      case TIME -> Atoms.Role.CLOCK;
      default -> Atoms.Role.NUMBER;
    };
  }

  private void addWords() {
    for (NumberSpan span : language.words().evidence(text)) {
      if (span.value().kind() == NumberKind.TIME) {
        addDigits(span);
        continue;
      }
      String unit = language.finder().unitAfter(text, span.end());
      boolean anySign = language.finder().mayBeMinus(text, span);
      atoms.add(span.value().numbers().get(0), unit, anySign, Atoms.Role.NUMBER);
    }
    for (int roman : RomanNumerals.find(text)) {
      atoms.add(BigDecimal.valueOf(roman), "", false, Atoms.Role.NUMBER);
    }
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
    return atoms.use(found.first + skipped, found.end);
  }

  private boolean take(NumberSpan wanted) {
    NumberValue value = wanted.value();
    return switch (value.kind()) {
      case NUMBER, TOLERANCE -> takeNumber(wanted);
      case RANGE, SCORE -> atoms.takeAll(value.numbers(), value.unit());
      case FRACTION -> takeFraction(value.numbers());
      case TIME -> takeTime(wanted);
      case DATE -> takeDate(value.numbers());
      case CODE -> takeCode(wanted);
    };
  }

  private boolean takeNumber(NumberSpan wanted) {
    NumberValue value = wanted.value();
    BigDecimal number = value.numbers().get(0);
    boolean maybeMinus = wanted.form().sign().equals(QuantityReader.MAYBE_MINUS);
    return atoms.takeAll(value.numbers(), value.unit())
        || (maybeMinus && atoms.takeAll(List.of(number.negate()), value.unit()))
        || (wanted.form().style() == Style.DECADE && takeDecade(number.intValue()))
        || (!isTranslation && isCentury(wanted) && takeCentury(number.intValue()))
        || (value.unit().isEmpty() && (takeShortDecade(number) || takeMinutes(wanted)))
        || (isHour(number) && value.unit().isEmpty() && takeAfternoon(wanted));
  }

  /** "1980s" for "80er" and the other way, "1800s" for the 19th century. */
  private boolean takeDecade(int year) {
    if (year < 100) {
      return atoms.takeAny(1900 + year, 1800 + year, 2000 + year);
    }
    return atoms.takeAny(year % 100 == 0 ? year / 100 + 1 : year % 100);
  }

  /** A time that English may write as "10.30". */
  private boolean takeMinutes(NumberSpan wanted) {
    BigDecimal figure = wanted.form().figures().get(0);
    if (figure.scale() != 2 || figure.signum() < 0 || figure.compareTo(LAST_HOUR) > 0) {
      return false;
    }
    BigDecimal[] parts = figure.movePointRight(2).divideAndRemainder(BigDecimal.valueOf(100));
    for (Found time : candidates(times)) {
      List<BigDecimal> other = time.span.value().numbers();
      if (sameHour(parts[0], other.get(0)) && parts[1].compareTo(other.get(1)) == 0 && use(time)) {
        return true;
      }
    }
    return false;
  }

  /** "50" for "1950s". */
  private boolean takeShortDecade(BigDecimal number) {
    for (Found decade : candidates(decades)) {
      BigDecimal year = decade.span.value().numbers().get(0);
      if (year.remainder(BigDecimal.valueOf(100)).compareTo(number) == 0 && use(decade)) {
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

  /** The hour of a time after noon: "six-thirty" may be 18:30, and 6 may be 18:00. */
  private boolean takeAfternoon(NumberSpan wanted) {
    BigDecimal later = wanted.value().numbers().get(0).add(BigDecimal.valueOf(12));
    boolean inWords = wanted.form().style() == Style.WORDS;
    for (Found time : candidates(times)) {
      List<BigDecimal> parts = time.span.value().numbers();
      boolean same = parts.get(0).compareTo(later) == 0;
      if (same
          && (inWords || parts.get(1).signum() == 0)
          && atoms.use(time.first, time.first + 1)) {
        return true;
      }
    }
    return false;
  }

  /** The 19th century for "1880s". */
  private boolean takeCentury(int century) {
    for (int year = (century - 1) * 100; year < century * 100; year += 10) {
      if (atoms.takeAny(year)) {
        return true;
      }
    }
    return false;
  }

  private boolean takeFraction(List<BigDecimal> parts) {
    if (parts.get(0).signum() == 0 && atoms.takeAll(parts.subList(1, 3), "")) {
      return true;
    }
    if (atoms.takeAll(parts, "") || parts.get(2).signum() == 0) {
      return atoms.takeAll(parts, "");
    }
    try {
      return atoms.takeAll(List.of(parts.get(0).add(parts.get(1).divide(parts.get(2)))), "");
    } catch (ArithmeticException e) {
      return false; // no finite decimals
    }
  }

  private boolean takeTime(NumberSpan wanted) {
    List<BigDecimal> parts = wanted.value().numbers();
    boolean open = wanted.form().style() == Style.CLOCK;
    List<Found> candidates = candidates(times);
    for (Found time : candidates) {
      List<BigDecimal> other = time.span.value().numbers();
      boolean halves = open || !isTranslation || !isMarked(time) || hasDayPeriod();
      boolean same = parts.subList(1, parts.size()).equals(other.subList(1, other.size()));
      if (same && halves && sameHour(parts.get(0), other.get(0)) && use(time)) {
        return true;
      }
    }
    boolean mayShift =
        open || hasDayPeriod() || candidates.stream().noneMatch(NumberCheck::isMarked);
    for (int shift : mayShift ? new int[] {0, 12, -12} : new int[] {0}) {
      List<BigDecimal> shifted = new ArrayList<>(parts);
      shifted.set(0, parts.get(0).add(BigDecimal.valueOf(shift)));
      if (shifted.get(0).signum() < 0) {
        continue;
      }
      boolean onTheHour = parts.size() == 2 && parts.get(1).signum() == 0;
      if (atoms.takeAll(shifted, "") || (onTheHour && atoms.takeHour(shifted.get(0)))) {
        return true;
      }
    }
    return false;
  }

  private static List<Found> candidates(List<Found> all) {
    return all.subList(0, Math.min(all.size(), Atoms.MOST_CANDIDATES));
  }

  private static boolean isMarked(Found time) {
    return time.span.form().style() == Style.MARKED_CLOCK;
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
    for (Found date : candidates(dates)) {
      List<BigDecimal> other = date.span.value().numbers();
      boolean same =
          other.subList(other.size() - 2, other.size()).equals(parts.subList(size - 2, size));
      int skipped = year < 0 ? other.size() - 2 : 0;
      if (same && sameYear(year, other) && use(date, skipped)) {
        return true;
      }
      boolean apart = same && year >= 0 && other.size() == 2 && atoms.isFree(date.first);
      if (apart && atoms.takeAny(year)) {
        return use(date);
      }
    }
    if (candidates(dates).stream().anyMatch(date -> atoms.isFree(date.first))) {
      return false;
    }
    if (months == null) {
      months = language.dates().months(text);
    }
    boolean named = months.contains(month);
    List<BigDecimal> numbers = new ArrayList<>(List.of(day));
    if (year >= 0) {
      numbers.add(parts.get(0));
    }
    if (!named) {
      numbers.add(parts.get(size - 2));
    }
    return atoms.takeEach(numbers);
  }

  private static boolean sameYear(int year, List<BigDecimal> other) {
    if (year < 0) {
      return true;
    }
    int theirs = other.size() == 3 ? other.get(0).intValue() : -1;
    boolean shortened = theirs >= 0 && (year < 100 || theirs < 100);
    return year == theirs || (shortened && year % 100 == theirs % 100);
  }

  private boolean takeCode(NumberSpan wanted) {
    List<BigDecimal> figures = wanted.form().figures();
    if (!figures.isEmpty() && atoms.takeAll(figures, "")) {
      return true;
    }
    return literalLooks++ < Atoms.MOST_CANDIDATES && contains(wanted.text());
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
