package io.latimer.operators.lm;

import io.latimer.operators.ngram.WordIds;
import java.util.Arrays;

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
    int[] ids = new int[(to - from + 1) / 2]; // as many as there can be
    int words = 0;
    int at = from;
    while (at < to) {
      if (WordIds.isSpace(bytes[at])) {
        at++;
        continue;
      }
      int start = at;
      long hash = LmVocabulary.FNV_BASIS;
      while (at < to && !WordIds.isSpace(bytes[at])) {
        hash = LmVocabulary.hashNext(hash, bytes[at++]);
      }
      ids[words++] = vocabulary.id(LmSections.mix(hash), bytes, start, at);
    }
    return Arrays.copyOf(ids, words);
  }
}
