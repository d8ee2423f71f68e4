package io.latimer.operators.grammar.text;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Finite sets of texts, as terminals of a Lark grammar describe them; small and in order. */
final class WordSets {
  /** Maximum texts of a terminal. */
  static final int MOST = 65_536;

  /** Maximum characters of a text. */
  private static final int LONGEST = 1000;

  private WordSets() {}

  /** All concatenations of a text of one set and a text of the other. */
  static Set<String> product(Set<String> first, Set<String> second, SourceLine line) {
    requireSize((long) first.size() * second.size(), line);
    Set<String> product = new LinkedHashSet<>();
    for (String beginning : first) {
      for (String end : second) {
        if (beginning.length() + end.length() > LONGEST) {
          throw line.error("a text of the terminal has more than " + LONGEST + " characters");
        }
        product.add(beginning + end);
      }
    }
    return product;
  }

  /** The texts of all the sets. */
  static Set<String> union(List<Set<String>> sets, SourceLine line) {
    Set<String> union = new LinkedHashSet<>();
    sets.forEach(union::addAll);
    requireSize(union.size(), line);
    return union;
  }

  /** All concatenations of {@code least} to {@code most} of the texts. */
  static Set<String> power(Set<String> texts, int least, int most, SourceLine line) {
    if (most < least || most > ContextFreeGrammar.LONGEST_RULE) {
      throw line.error(
          "expected at most "
              + ContextFreeGrammar.LONGEST_RULE
              + " repetitions, the smaller number first");
    }
    Set<String> power = Set.of("");
    Set<String> all = new LinkedHashSet<>();
    for (int times = 0; times <= most; times++) {
      if (times >= least) {
        all.addAll(power);
        requireSize(all.size(), line);
      }
      power = times == most ? power : product(power, texts, line);
    }
    return all;
  }

  /** The characters from one to another. */
  static Set<String> range(String from, String to, SourceLine line) {
    if (from.codePointCount(0, from.length()) != 1 || to.codePointCount(0, to.length()) != 1) {
      throw line.error("a range is from one character to another");
    }
    int first = from.codePointAt(0);
    int last = to.codePointAt(0);
    requireSize((long) last - first + 1, line);
    Set<String> range = new LinkedHashSet<>();
    for (int c = first; c <= last; c++) {
      range.add(Character.toString(c));
    }
    return range;
  }

  /** The text with every letter as upper and as lower case. */
  static Set<String> anyCase(String text, SourceLine line) {
    Set<String> all = Set.of("");
    for (int c : text.codePoints().toArray()) {
      String letter = Character.toString(c);
      Set<String> cases = new LinkedHashSet<>(List.of(letter));
      cases.add(letter.toLowerCase(Locale.ROOT));
      cases.add(letter.toUpperCase(Locale.ROOT));
      all = product(all, cases, line);
    }
    return all;
  }

  private static void requireSize(long size, SourceLine line) {
    if (size > MOST || size < 0) {
      throw line.error(
          "the terminal has more than " + MOST + " texts; write a rule of several words instead");
    }
  }
}
