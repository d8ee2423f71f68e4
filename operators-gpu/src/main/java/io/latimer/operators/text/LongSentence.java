package io.latimer.operators.text;

/** Finds the best position to split a sentence that is too long for a model. */
final class LongSentence {
  private static final String CLAUSE_ENDS = ",;:–—)]}\"”»،、；：，";

  private LongSentence() {}

  /**
   * Returns where the second part starts: after a clause's end in the middle half if there is one,
   * else at the space nearest the middle, else between two characters.
   *
   * @param text more than one character
   */
  static int cut(String text) {
    int middle = text.length() / 2;
    int quarter = text.length() / 4;
    int clause = -1;
    int space = -1;
    for (int distance = 0; distance < middle; distance++) {
      for (int at : new int[] {middle - distance, middle + distance}) {
        if (at <= 0 || at >= text.length() || !Character.isWhitespace(text.charAt(at))) {
          continue;
        }
        boolean ends = CLAUSE_ENDS.indexOf(text.charAt(at - 1)) >= 0;
        if (ends && clause < 0 && distance <= quarter) {
          clause = at;
        }
        if (space < 0) {
          space = at;
        }
      }
      if (clause >= 0) {
        return clause;
      }
    }
    return space >= 0 ? space : betweenCharacters(text, middle);
  }

  /** Moves back past combining marks and surrogate pairs. */
  private static int betweenCharacters(String text, int middle) {
    int at = Math.max(middle, 1);
    while (at > 1 && joinsTheOneBefore(text, at)) {
      at--;
    }
    if (at == 1 && joinsTheOneBefore(text, at)) {
      // only marks before the middle: split between any two code points
      return Math.min(text.offsetByCodePoints(0, 1), text.length());
    }
    return at;
  }

  private static boolean joinsTheOneBefore(String text, int at) {
    int type = Character.getType(text.codePointAt(at));
    return Character.isLowSurrogate(text.charAt(at))
        || type == Character.NON_SPACING_MARK
        || type == Character.COMBINING_SPACING_MARK
        || type == Character.ENCLOSING_MARK;
  }
}
