package io.latimer.operators.util;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that the user may have meant. */
public final class NearestName {
  private NearestName() {}

  /** The name with the smallest edit distance, if it is small. */
  public static Optional<String> of(String found, Collection<String> names) {
    return names.stream()
        .filter(name -> edits(found, name) <= Math.max(2, name.length() / 3))
        .min(Comparator.comparingInt(name -> edits(found, name)));
  }

  /**
   * Number of letters to insert, delete, replace or swap with a neighbour (restricted
   * Damerau-Levenshtein distance).
   */
  public static int edits(String from, String to) {
    int[] beforeLast = new int[to.length() + 1];
    int[] last = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = last[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(last[j], row[j - 1]) + 1);
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      beforeLast = last;
      last = row;
    }
    return last[to.length()];
  }
}
