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

  /**
   * The nearest boundary of a character in the middle half: before combining marks and not inside a
   * surrogate pair. Where there is only one endless run of marks, the middle: both parts must be
   * shorter by a fixed share, or the parts of a long text would cost its length squared.
   */
  private static int betweenCharacters(String text, int middle) {
    int quarter = text.length() / 4;
    for (int distance = 0; distance <= quarter; distance++) {
      for (int at : new int[] {middle - distance, middle + distance}) {
        if (at > 0 && at < text.length() && !joinsTheOneBefore(text, at)) {
          return at;
        }
      }
    }
    boolean inside = Character.isLowSurrogate(text.charAt(middle));
    return inside ? middle + 1 : middle;
  }

  private static boolean joinsTheOneBefore(String text, int at) {
    int type = Character.getType(text.codePointAt(at));
    return Character.isLowSurrogate(text.charAt(at))
        || type == Character.NON_SPACING_MARK
        || type == Character.COMBINING_SPACING_MARK
        || type == Character.ENCLOSING_MARK;
  }
}
