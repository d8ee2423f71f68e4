package io.latimer.operators.nmt.model;

/** Checks of the numbers in a network's settings. */
public final class SettingRange {
  /** The maximum vocabulary size and layer width. */
  static final int MAX_WIDTH = 1 << 24;

  /** The maximum number of layers of a kind. */
  public static final int MAX_DEPTH = 64;

  private SettingRange() {}

  static void require(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ModelFormatException(
          "model setting " + what + " must be from " + min + " to " + max + ", found " + value);
    }
  }

  static void requireSharable(boolean shared, int sourceVocabulary, int targetVocabulary) {
    if (shared && sourceVocabulary != targetVocabulary) {
      throw new ModelFormatException(
          "a shared embedding needs vocabularies of equal size, found "
              + sourceVocabulary
              + " source and "
              + targetVocabulary
              + " target words");
    }
  }
}
