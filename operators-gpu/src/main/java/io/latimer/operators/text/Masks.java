package io.latimer.operators.text;

/**
 * The marks that stand for text that the model does not see. {@link ProtectedText#MARK} is removed
 * before the model reads a sentence. A model trained with masks has the eight characters after it
 * in both vocabularies, and writes each where its text belongs.
 */
final class Masks {
  /** Number of masks. */
  static final int COUNT = 8;

  private Masks() {}

  /** A mask, 0 to {@link #COUNT} - 1. */
  static char get(int number) {
    return (char) (ProtectedText.MARK + 1 + number);
  }

  /** Whether a character is a mark of either kind. */
  static boolean isMark(int c) {
    return c >= ProtectedText.MARK && c <= ProtectedText.MARK + COUNT;
  }

  /** Whether a token is a mask. */
  static boolean isMask(String token) {
    return token.length() == 1 && isMark(token.charAt(0)) && token.charAt(0) != ProtectedText.MARK;
  }

  /** Whether a model was trained with masks. */
  static boolean areIn(TokenIds source, TokenIds target) {
    for (int i = 0; i < COUNT; i++) {
      String mask = String.valueOf(get(i));
      if (source.id(mask) <= Vocabulary.UNKNOWN || target.id(mask) <= Vocabulary.UNKNOWN) {
        return false;
      }
    }
    return true;
  }
}
