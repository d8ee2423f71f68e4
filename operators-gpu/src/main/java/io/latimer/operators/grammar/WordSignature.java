package io.latimer.operators.grammar;

import java.util.Locale;
import java.util.function.Predicate;

/**
 * Classes of unknown words by their form, at level 5 of the Berkeley and Stanford parsers: {@code
 * UNK}, then {@code -INITC} (a capital at the beginning of a sentence), {@code -CAPS} or {@code
 * -LC}, then {@code -KNOWNLC} if the grammar has the word in lower case, {@code -NUM} for digits,
 * {@code -DASH} for hyphens and a common suffix.
 */
final class WordSignature {
  private static final String[] SUFFIXES = {
    "ed", "ing", "ion", "er", "est", "ly", "ity", "y", "al"
  };
  private static final int SHORTEST_PLURAL = 3;
  private static final int SHORTEST_WITH_SUFFIX = 5;

  private WordSignature() {}

  /**
   * The most specific class of a word that a grammar has: parts are dropped from the end until one
   * is known.
   *
   * @param first whether it is the first word of its sentence
   * @return null if even {@code UNK} is unknown
   */
  static String of(String word, boolean first, Predicate<String> known) {
    String signature = full(word, first, known);
    while (!known.test(signature)) {
      int dash = signature.lastIndexOf('-');
      if (dash < 0) {
        return null;
      }
      signature = signature.substring(0, dash);
    }
    return signature;
  }

  /** The class with all its parts. */
  static String full(String word, boolean first, Predicate<String> known) {
    int capitals = 0;
    boolean digit = false;
    boolean dash = false;
    boolean lower = false;
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (Character.isDigit(c)) {
        digit = true;
      } else if (c == '-') {
        dash = true;
      } else if (Character.isLetter(c)) {
        boolean title = Character.isTitleCase(c);
        lower |= Character.isLowerCase(c) || title;
        capitals += Character.isLowerCase(c) ? 0 : 1;
      }
    }
    String lowered = word.toLowerCase(Locale.ROOT);
    return "UNK"
        + shape(word, lowered, first, capitals, lower, known)
        + (digit ? "-NUM" : "")
        + (dash ? "-DASH" : "")
        + suffix(lowered, !dash && !(digit && capitals > 0));
  }

  private static String shape(
      String word,
      String lowered,
      boolean first,
      int capitals,
      boolean lower,
      Predicate<String> known) {
    char c = word.charAt(0);
    if (Character.isUpperCase(c) || Character.isTitleCase(c)) {
      if (first && capitals == 1) {
        return known.test(lowered) ? "-INITC-KNOWNLC" : "-INITC";
      }
      return "-CAPS";
    }
    if (!Character.isLetter(c) && capitals > 0) {
      return "-CAPS";
    }
    return lower ? "-LC" : "";
  }

  private static String suffix(String lowered, boolean simple) {
    int length = lowered.length();
    if (lowered.endsWith("s") && length >= SHORTEST_PLURAL) {
      return "siu".indexOf(lowered.charAt(length - 2)) < 0 ? "-s" : "";
    }
    if (length >= SHORTEST_WITH_SUFFIX && simple) {
      for (String suffix : SUFFIXES) {
        if (lowered.endsWith(suffix)) {
          return "-" + suffix;
        }
      }
    }
    return "";
  }
}
