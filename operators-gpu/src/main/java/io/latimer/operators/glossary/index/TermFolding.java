package io.latimer.operators.glossary.index;

import com.ibm.icu.lang.UCharacter;
import java.util.Locale;
import java.util.Set;

/** Characters that a comparison of terms takes for the same, in the language of a text. */
public enum TermFolding {
  /** Unicode's simple case folding. */
  USUAL(true),
  /** The same with I and ı, İ and i as pairs, as in Turkish. */
  TURKIC(false);

  private static final Set<String> TURKIC_LANGUAGES = Set.of("tr", "az");

  private final boolean usual;

  TermFolding(boolean usual) {
    this.usual = usual;
  }

  /**
   * The folding of a language.
   *
   * @param language a BCP 47 tag
   */
  public static TermFolding of(String language) {
    String code = Locale.forLanguageTag(language).getLanguage();
    return TURKIC_LANGUAGES.contains(code) ? TURKIC : USUAL;
  }

  /** A code point without case; always of as many UTF-16 characters. */
  int fold(int codePoint) {
    if (codePoint < 0x80 && (usual || codePoint != 'I')) {
      return codePoint >= 'A' && codePoint <= 'Z' ? codePoint + ('a' - 'A') : codePoint;
    }
    int folded = UCharacter.foldCase(codePoint, usual);
    return Character.charCount(folded) == Character.charCount(codePoint) ? folded : codePoint;
  }

  /** One kind of apostrophe, of quotation mark and of hyphen; all else as it is. */
  static int unified(int codePoint) {
    if (codePoint < 0x80 && codePoint != '`') {
      return codePoint;
    }
    return switch (codePoint) {
      case '`', 0xB4, 0x2BC, 0x2018, 0x2019, 0x201A, 0x201B, 0x2039, 0x203A -> '\'';
      case 0xAB, 0xBB, 0x201C, 0x201D, 0x201E, 0x201F -> '"';
      case 0x2010, 0x2011 -> '-';
      default -> codePoint;
    };
  }
}
