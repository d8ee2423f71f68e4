package io.latimer.operators.glossary.index;

import java.lang.Character.UnicodeScript;
import java.util.EnumSet;
import java.util.Set;

/** What a character is to the division of a text into words. */
enum WordClass {
  SPACE,
  LETTER,
  DIGIT,
  /** Belongs to the character before it. */
  MARK,
  /** A word of its own: of a script that does without spaces. */
  SINGLE,
  /** Any other character: a word of its own, too. */
  SYMBOL,
  /** Left out, such as a soft hyphen. */
  IGNORED;

  private static final int TABLE_SIZE = 1 << 16;
  private static final int ZERO_WIDTH_SPACE = 0x200B;
  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;
  private static final int NEXT_LINE = 0x85;

  private static final Set<UnicodeScript> WITHOUT_SPACES =
      EnumSet.of(
          UnicodeScript.HAN,
          UnicodeScript.HIRAGANA,
          UnicodeScript.KATAKANA,
          UnicodeScript.BOPOMOFO,
          UnicodeScript.HANGUL,
          UnicodeScript.THAI,
          UnicodeScript.LAO,
          UnicodeScript.KHMER,
          UnicodeScript.MYANMAR);

  private static final WordClass[] TABLE = new WordClass[TABLE_SIZE];

  static {
    for (int c = 0; c < TABLE_SIZE; c++) {
      TABLE[c] = computed(c);
    }
  }

  static WordClass of(int codePoint) {
    return codePoint < TABLE_SIZE ? TABLE[codePoint] : computed(codePoint);
  }

  private static WordClass computed(int c) {
    if (Character.isWhitespace(c)
        || Character.isSpaceChar(c)
        || c == ZERO_WIDTH_SPACE
        || c == NEXT_LINE) {
      return SPACE;
    }
    return switch (Character.getType(c)) {
      case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK ->
          MARK;
      case Character.FORMAT ->
          c == ZERO_WIDTH_JOINER || c == ZERO_WIDTH_NON_JOINER ? MARK : IGNORED;
      case Character.CONTROL -> SPACE;
      case Character.DECIMAL_DIGIT_NUMBER -> DIGIT;
      case Character.UPPERCASE_LETTER,
          Character.LOWERCASE_LETTER,
          Character.TITLECASE_LETTER,
          Character.MODIFIER_LETTER,
          Character.OTHER_LETTER,
          Character.LETTER_NUMBER,
          Character.OTHER_NUMBER,
          Character.CONNECTOR_PUNCTUATION ->
          WITHOUT_SPACES.contains(UnicodeScript.of(c)) ? SINGLE : LETTER;
      default -> SYMBOL;
    };
  }

  /** Whether it is of a word that white space ends. */
  boolean isOfWord() {
    return this == LETTER || this == DIGIT;
  }
}
