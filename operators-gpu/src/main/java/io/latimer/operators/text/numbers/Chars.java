package io.latimer.operators.text.numbers;

import com.ibm.icu.lang.UScript;

/** Classes of characters. Digits are those of all scripts in the basic plane. */
final class Chars {
  /** What writes a minus or a range. */
  static final String DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2212";

  private static final String SPACES = " \u00A0\u202F\u2009";

  private Chars() {}

  static boolean isDigit(char c) {
    return c < 0x80 ? c >= '0' && c <= '9' : Character.isDigit(c);
  }

  static boolean isDigitAt(CharSequence text, int at) {
    return at >= 0 && at < text.length() && isDigit(text.charAt(at));
  }

  /** The end of the digits that start at a place. */
  static int digitsEnd(CharSequence text, int from) {
    int at = from;
    while (isDigitAt(text, at)) {
      at++;
    }
    return at;
  }

  /** The number of at most nine digits. */
  static int number(CharSequence text, int from, int to) {
    int number = 0;
    for (int i = from; i < to; i++) {
      number = number * 10 + Character.digit(text.charAt(i), 10);
    }
    return number;
  }

  /** The digits of any script as those of ASCII. */
  static String digits(CharSequence text, int from, int to) {
    StringBuilder digits = new StringBuilder(to - from);
    for (int i = from; i < to; i++) {
      digits.append((char) ('0' + Character.digit(text.charAt(i), 10)));
    }
    return digits.toString();
  }

  static boolean isSpace(char c) {
    return SPACES.indexOf(c) >= 0;
  }

  /** After the space at a place, if there is one. */
  static int skipSpace(CharSequence text, int at) {
    return at < text.length() && isSpace(text.charAt(at)) ? at + 1 : at;
  }

  /** Before the space that ends at a place, if there is one. */
  static int skipSpaceBack(CharSequence text, int at, int floor) {
    return at > floor && isSpace(text.charAt(at - 1)) ? at - 1 : at;
  }

  static boolean isAnyOf(CharSequence text, int at, String chars) {
    return at >= 0 && at < text.length() && chars.indexOf(text.charAt(at)) >= 0;
  }

  /** Letters, marks of letters, and digits. */
  static boolean isWord(char c) {
    if (c < 0x80) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
    int type = Character.getType(c);
    return Character.isLetterOrDigit(c)
        || type == Character.NON_SPACING_MARK
        || type == Character.COMBINING_SPACING_MARK
        || type == Character.SURROGATE;
  }

  /** Letters of scripts that put no spaces between words, or particles right after numbers. */
  static boolean isUnspaced(char c) {
    if (c < 0x0E00) {
      return false;
    }
    int script = UScript.getScript(c);
    return script == UScript.HAN
        || script == UScript.HIRAGANA
        || script == UScript.KATAKANA
        || script == UScript.HANGUL
        || script == UScript.THAI
        || script == UScript.LAO
        || script == UScript.KHMER
        || script == UScript.MYANMAR;
  }

  /** Letters that make one word of digits beside them. */
  static boolean isCodeLetter(char c) {
    return c < 0x80
        ? (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
        : c < 0x530 && Character.isLetter(c) && c != 'º' && c != 'ª' && c != 'µ' && c != 'μ';
  }

  /** Whether a word may end before a place. */
  static boolean isWordEnd(CharSequence text, int at) {
    return at >= text.length()
        || !isWord(text.charAt(at))
        || isUnspaced(text.charAt(at))
        || isUnspaced(text.charAt(at - 1))
        || (isDigit(text.charAt(at)) && !isWord(text.charAt(at - 1)));
  }

  /** Whether a word may start at a place. */
  static boolean isWordStart(CharSequence text, int at) {
    return at == 0
        || !isWord(text.charAt(at - 1))
        || isUnspaced(text.charAt(at))
        || isUnspaced(text.charAt(at - 1));
  }
}
