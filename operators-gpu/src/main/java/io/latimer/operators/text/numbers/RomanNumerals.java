package io.latimer.operators.text.numbers;

import java.util.ArrayList;
import java.util.List;

/** Finds numbers like XIV, which a translation may write for 14. */
final class RomanNumerals {
  private static final String LETTERS = "IVXLCDM";
  private static final int[] VALUES = {1, 5, 10, 50, 100, 500, 1000};
  private static final int LONGEST = 15;

  private RomanNumerals() {}

  /** The values of a text's Roman numerals in capital letters, in order. */
  static List<Integer> find(String text) {
    List<Integer> found = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      if (LETTERS.indexOf(text.charAt(at)) < 0 || !Chars.isWordStart(text, at)) {
        at++;
        continue;
      }
      int end = at;
      while (Chars.isAnyOf(text, end, LETTERS)) {
        end++;
      }
      boolean small = end < text.length() && Character.isLowerCase(text.charAt(end));
      if (end - at <= LONGEST && (Chars.isWordEnd(text, end) || (small && end - at > 1))) {
        found.add(value(text, at, end));
      }
      at = end;
    }
    return found;
  }

  private static int value(String text, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      int value = VALUES[LETTERS.indexOf(text.charAt(i))];
      int next = i + 1 < to ? VALUES[LETTERS.indexOf(text.charAt(i + 1))] : 0;
      sum += value < next ? -value : value;
    }
    return sum;
  }
}
