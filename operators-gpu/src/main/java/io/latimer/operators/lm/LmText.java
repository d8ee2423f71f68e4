package io.latimer.operators.lm;

import io.latimer.operators.ngram.WordIds;

/**
 * Splits text into words and finds their ids: words part at NUL, tab, line feed, vertical tab, form
 * feed, carriage return and space, as in KenLM.
 */
public final class LmText {
  private LmText() {}

  /**
   * The ids of the words of a text, 0 for those that the vocabulary does not have.
   *
   * @param bytes where the text is, in the encoding of the model's words
   * @param from its first byte
   * @param to the byte after its last
   */
  public static int[] ids(LmVocabulary vocabulary, byte[] bytes, int from, int to) {
    int[] ids = new int[count(bytes, from, to)];
    int at = from;
    for (int i = 0; i < ids.length; i++) {
      while (WordIds.isSpace(bytes[at])) {
        at++;
      }
      int start = at;
      while (at < to && !WordIds.isSpace(bytes[at])) {
        at++;
      }
      ids[i] = vocabulary.id(bytes, start, at);
    }
    return ids;
  }

  /** How many words a text has. */
  static int count(byte[] bytes, int from, int to) {
    int words = 0;
    boolean space = true;
    for (int i = from; i < to; i++) {
      boolean now = WordIds.isSpace(bytes[i]);
      words += space && !now ? 1 : 0;
      space = now;
    }
    return words;
  }
}
