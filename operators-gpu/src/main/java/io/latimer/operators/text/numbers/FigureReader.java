package io.latimer.operators.text.numbers;

import com.ibm.icu.text.DecimalFormatSymbols;
import com.ibm.icu.util.ULocale;
import java.math.BigDecimal;

/**
 * Reads digits with the separators of a language. Where these make no sense, those of other
 * languages count: {@code 1.234.567} and {@code 3.5} mean the same everywhere.
 */
final class FigureReader {
  /**
   * Digits with separators.
   *
   * @param value null if they are no number: leading zeros, too many digits, parts of a version
   */
  record Figure(int start, int end, BigDecimal value, boolean grouped) {}

  /** A longer number is a key or an error. */
  private static final int MOST_DIGITS = 64;

  private static final int MOST_PARTS = 24;
  private static final String APOSTROPHES = "'\u2019";
  private static final String POINTS = ".,\u066B";

  private final char decimal;
  private final boolean groupsWithPlainSpace;

  FigureReader(ULocale locale) {
    DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(locale);
    decimal = symbols.getDecimalSeparator() == '.' ? '.' : ',';
    groupsWithPlainSpace = decimal == ',';
  }

  char decimal() {
    return decimal;
  }

  /** Reads at a digit that follows no digit. */
  Figure read(String text, int from) {
    Parts parts = new Parts(text, from);
    if (parts.digits > MOST_DIGITS || (parts.more && parts.separator(parts.count - 2) != ',')) {
      return new Figure(from, chainEnd(text, from), null, false);
    }
    return figure(parts, parts.count);
  }

  /** Reads the decimals after a point that no digit precedes. */
  Figure readDecimals(String text, int from) {
    int end = Chars.digitsEnd(text, from);
    boolean more = Chars.isAnyOf(text, end, POINTS) && Chars.isDigitAt(text, end + 1);
    return more || end - from > MOST_DIGITS
        ? new Figure(from, chainEnd(text, from), null, false)
        : new Figure(from, end, new BigDecimal("0." + Chars.digits(text, from, end)), false);
  }

  /** The end of digits that points or commas separate. */
  private static int chainEnd(String text, int from) {
    int at = Chars.digitsEnd(text, from);
    while (Chars.isAnyOf(text, at, POINTS) && Chars.isDigitAt(text, at + 1)) {
      at = Chars.digitsEnd(text, at + 1);
    }
    return at;
  }

  private Figure figure(Parts parts, int count) {
    if (count == 1) {
      return parts.figure(1, false, false);
    }
    char first = parts.separator(0);
    char last = parts.separator(count - 2);
    int same = 1;
    while (same < count - 1 && parts.separator(same) == first) {
      same++;
    }
    if (same == count - 1) {
      boolean groups = parts.isGrouped(count) && (count > 2 || mayGroup(first));
      if (groups) {
        return parts.figure(count, true, false);
      }
      if (count == 2) {
        boolean list = first == ',' && decimal == '.' && parts.isInList();
        return list ? parts.figure(1, false, false) : parts.figure(2, false, true);
      }
    } else if (same == count - 2 && parts.isGrouped(count - 1) && POINTS.indexOf(last) >= 0) {
      return parts.figure(count, true, true);
    }
    for (int i = 0; i < count - 1; i++) {
      if (parts.separator(i) == ',') {
        return figure(parts, i + 1); // a list of numbers
      }
    }
    return parts.literal(count);
  }

  private boolean mayGroup(char separator) {
    boolean common = separator == '.' || separator == ',';
    return common ? separator != decimal : separator != '\u066B';
  }

  /** Digits, and the separators between them. */
  private final class Parts {
    private final String text;
    private final int[] starts = new int[MOST_PARTS];
    private final int[] ends = new int[MOST_PARTS];
    private int count;
    private int digits;
    private boolean more;

    Parts(String text, int from) {
      this.text = text;
      add(from);
      while (digits <= MOST_DIGITS && continues()) {
        if (count == MOST_PARTS) {
          more = true;
          return;
        }
        add(ends[count - 1] + 1);
      }
    }

    private void add(int from) {
      starts[count] = from;
      ends[count] = Chars.digitsEnd(text, from);
      digits += ends[count] - from;
      count++;
    }

    /** Whether the text before has a number and a comma. */
    boolean isInList() {
      int at = starts[0] - 1;
      return Chars.isAnyOf(text, at, ",") && Chars.isDigitAt(text, at - 1);
    }

    char separator(int part) {
      return text.charAt(ends[part]);
    }

    private boolean continues() {
      int end = ends[count - 1];
      if (!Chars.isDigitAt(text, end + 1)) {
        return false;
      }
      char c = text.charAt(end);
      if (POINTS.indexOf(c) >= 0 || c == '\u066C') {
        return true;
      }
      boolean groups = APOSTROPHES.indexOf(c) >= 0 || (Chars.isSpace(c) && mayBeGroup(c));
      return groups
          && ends[0] - starts[0] <= 3
          && Character.digit(text.charAt(starts[0]), 10) != 0
          && (count == 1 || (c == separator(count - 2) && end - starts[count - 1] == 3))
          && Chars.digitsEnd(text, end + 1) - end == 4;
    }

    private boolean mayBeGroup(char space) {
      return space != ' ' || groupsWithPlainSpace;
    }

    /** Groups of three digits, or India's. */
    boolean isGrouped(int parts) {
      int first = ends[0] - starts[0];
      if (first > 3 || Character.digit(text.charAt(starts[0]), 10) == 0) {
        return false;
      }
      boolean threes = true;
      boolean twos = parts > 2 && first <= 2 && separator(0) == ',';
      for (int i = 1; i < parts; i++) {
        int size = ends[i] - starts[i];
        threes &= size == 3;
        twos &= size == (i == parts - 1 ? 3 : 2);
      }
      return threes || twos;
    }

    Figure figure(int parts, boolean grouped, boolean decimals) {
      StringBuilder number = new StringBuilder();
      int whole = decimals ? parts - 1 : parts;
      for (int i = 0; i < whole; i++) {
        number.append(Chars.digits(text, starts[i], ends[i]));
      }
      if (number.length() > 1 && number.charAt(0) == '0') {
        return literal(parts);
      }
      if (decimals) {
        number.append('.').append(Chars.digits(text, starts[whole], ends[whole]));
      }
      return new Figure(starts[0], ends[parts - 1], new BigDecimal(number.toString()), grouped);
    }

    Figure literal(int parts) {
      return new Figure(starts[0], ends[parts - 1], null, false);
    }
  }
}
