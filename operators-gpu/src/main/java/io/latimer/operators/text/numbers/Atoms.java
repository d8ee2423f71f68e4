package io.latimer.operators.text.numbers;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The single numbers of a text, in order; each is used once. */
final class Atoms {
  /** Candidates that one number is compared with. */
  static final int MOST_CANDIDATES = 64;

  /** What a number is without those before and after it. */
  enum Role {
    NUMBER,
    /** It is an hour or a minute. */
    CLOCK,
    /** It means nothing: the 1 of 1/2. */
    PART
  }

  /** A number, or a part of one such as a day. */
  private static final class Atom {
    private final BigDecimal value;
    private final String unit;
    private final boolean anySign;
    private final Role role;
    private boolean used;

    Atom(BigDecimal value, String unit, boolean anySign, Role role) {
      this.value = NumberValue.canonical(value);
      this.unit = unit;
      this.anySign = anySign;
      this.role = role;
    }

    boolean is(BigDecimal number) {
      return !used
          && (value.compareTo(number) == 0 || (anySign && value.compareTo(number.negate()) == 0));
    }
  }

  private final boolean unitsCount;
  private final List<Atom> atoms = new ArrayList<>();
  private final Map<BigDecimal, List<Integer>> byValue = new HashMap<>();

  /**
   * No numbers yet.
   *
   * @param unitsCount whether a number with a unit needs one with the same unit
   */
  Atoms(boolean unitsCount) {
    this.unitsCount = unitsCount;
  }

  int size() {
    return atoms.size();
  }

  /**
   * Adds a number.
   *
   * @param anySign whether it may be negative, too
   */
  void add(BigDecimal value, String unit, boolean anySign, Role role) {
    Atom atom = new Atom(value, unit, anySign, role);
    byValue.computeIfAbsent(atom.value.abs(), k -> new ArrayList<>()).add(atoms.size());
    atoms.add(atom);
  }

  /** Whether a number is not used yet. */
  boolean isFree(int place) {
    return !atoms.get(place).used;
  }

  /** Uses the numbers from one to another; false if one of them is used. */
  boolean use(int from, int to) {
    for (int i = from; i < to; i++) {
      if (atoms.get(i).used) {
        return false;
      }
    }
    for (int i = from; i < to; i++) {
      atoms.get(i).used = true;
    }
    return true;
  }

  /** Uses numbers that follow each other, one of them or of their list with the unit. */
  boolean takeAll(List<BigDecimal> numbers, String unit) {
    List<BigDecimal> wanted = numbers.stream().map(NumberValue::canonical).toList();
    List<Integer> places = byValue.getOrDefault(wanted.get(0).abs(), List.of());
    int looks = 0;
    for (int place : places) {
      if (looks++ == MOST_CANDIDATES) {
        return places.removeIf(at -> atoms.get(at).used) && takeAll(numbers, unit);
      }
      if (isAt(place, wanted) && hasUnit(place, wanted.size(), unit)) {
        return use(place, place + wanted.size());
      }
    }
    return false;
  }

  /** Uses a number that is no part of a time of day. */
  boolean takeHour(BigDecimal hour) {
    List<Integer> places = byValue.getOrDefault(NumberValue.canonical(hour), List.of());
    for (int place : places.subList(0, Math.min(places.size(), MOST_CANDIDATES))) {
      if (atoms.get(place).role == Role.NUMBER && use(place, place + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Uses one of some numbers without a unit. */
  boolean takeAny(int... numbers) {
    for (int number : numbers) {
      if (takeAll(List.of(BigDecimal.valueOf(number)), "")) {
        return true;
      }
    }
    return false;
  }

  /** Uses numbers wherever they are; none of them if one is not there. */
  boolean takeEach(List<BigDecimal> numbers) {
    List<Atom> taken = new ArrayList<>();
    for (BigDecimal number : numbers) {
      BigDecimal wanted = NumberValue.canonical(number);
      List<Integer> places = byValue.getOrDefault(wanted.abs(), List.of());
      Atom free = null;
      for (int i = 0; free == null && i < Math.min(places.size(), MOST_CANDIDATES); i++) {
        Atom atom = atoms.get(places.get(i));
        free = atom.is(wanted) && atom.role != Role.PART ? atom : null;
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

  private boolean isAt(int place, List<BigDecimal> numbers) {
    if (place + numbers.size() > atoms.size()) {
      return false;
    }
    for (int i = 0; i < numbers.size(); i++) {
      if (!atoms.get(place + i).is(numbers.get(i))) {
        return false;
      }
    }
    return numbers.size() > 1 || atoms.get(place).role != Role.PART;
  }

  private boolean hasUnit(int place, int size, String unit) {
    if (unit.isEmpty() || !unitsCount) {
      return true;
    }
    for (int i = place; i <= place + size && i < atoms.size(); i++) {
      if (Units.areSame(unit, atoms.get(i).unit)) {
        return true;
      }
    }
    return false;
  }
}
