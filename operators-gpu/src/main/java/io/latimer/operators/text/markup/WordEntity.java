package io.latimer.operators.text.markup;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Entities of HTML that are parts of words: letters, digits and apostrophes. */
final class WordEntity {
  private static final int LONGEST = 12;

  /** Those of U+00C0 to U+00FF, in order (HTML 4, 24.2); the signs among them are no letters. */
  private static final String LATIN =
      "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute"
          + " Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute"
          + " Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil"
          + " egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc"
          + " otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

  private static final Map<String, Integer> NAMED = named();

  private WordEntity() {}

  private static Map<String, Integer> named() {
    Map<String, Integer> named = new HashMap<>();
    List<String> latin = List.of(LATIN.split(" "));
    for (int i = 0; i < latin.size(); i++) {
      named.put(latin.get(i), 0xC0 + i);
    }
    named.put("OElig", 0x152);
    named.put("oelig", 0x153);
    named.put("Scaron", 0x160);
    named.put("scaron", 0x161);
    named.put("apos", (int) '\'');
    named.put("lsquo", 0x2018);
    named.put("rsquo", 0x2019);
    return named;
  }

  /**
   * The entity at a place.
   *
   * @param text with a {@code &} at that place
   * @return null if there is none that is a part of a word
   */
  static Piece at(String text, int start) {
    int limit = Math.min(text.length(), start + LONGEST);
    int end = start + 1;
    while (end < limit && text.charAt(end) != ';') {
      end++;
    }
    if (end >= limit || end == start + 1) {
      return null;
    }
    int point = point(text.substring(start + 1, end));
    boolean ofWord =
        Character.isLetterOrDigit(point) || point == '\'' || point == 0x2018 || point == 0x2019;
    return ofWord ? Piece.character(start, end + 1, Character.toString(point)) : null;
  }

  /** The code point that a name stands for; 0 if none. */
  private static int point(String name) {
    if (name.charAt(0) != '#') {
      return NAMED.getOrDefault(name, 0);
    }
    boolean hex = name.length() > 1 && Character.toLowerCase(name.charAt(1)) == 'x';
    try {
      int point = Integer.parseInt(name.substring(hex ? 2 : 1), hex ? 16 : 10);
      return Character.isValidCodePoint(point) && !isSurrogate(point) ? point : 0;
    } catch (NumberFormatException e) {
      return 0; // "&#;", "&#-1;" and others are text
    }
  }

  private static boolean isSurrogate(int point) {
    return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
  }
}
