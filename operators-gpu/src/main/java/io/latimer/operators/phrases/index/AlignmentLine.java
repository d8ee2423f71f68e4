package io.latimer.operators.phrases.index;

import io.latimer.operators.ngram.WordIds;
import java.nio.charset.StandardCharsets;

/** Parses a word alignment in Pharaoh's format, such as {@code 0-0 1-2}. */
final class AlignmentLine {
  private static final int MAX_DIGITS = 6; // keeps places far below 2^31
  private static final int MAX_SHOWN = 40;

  private AlignmentLine() {}

  /**
   * Adds the links of a line to a sentence pair, in the order of the line.
   *
   * @param length bytes of the line
   * @param sourceWords words of the source sentence
   * @param targetWords words of the target sentence
   * @return what is wrong with the line, or null
   */
  static String parse(
      byte[] line, int length, int sourceWords, int targetWords, SentencePair pair) {
    for (int at = 0; at < length; ) {
      if (WordIds.isSpace(line[at])) {
        at++;
        continue;
      }
      int from = at;
      int sourcePlace = 0;
      int targetPlace = 0;
      int digits = 0;
      for (; at < length && isDigit(line[at]) && digits < MAX_DIGITS; at++, digits++) {
        sourcePlace = 10 * sourcePlace + line[at] - '0';
      }
      boolean sound = digits > 0 && at < length && line[at] == '-';
      at++;
      for (digits = 0; at < length && isDigit(line[at]) && digits < MAX_DIGITS; at++, digits++) {
        targetPlace = 10 * targetPlace + line[at] - '0';
      }
      if (!sound || digits == 0 || (at < length && !WordIds.isSpace(line[at]))) {
        return "expected points such as 3-4, found " + shown(line, from, length);
      }
      if (sourcePlace >= sourceWords || targetPlace >= targetWords) {
        return "point "
            + sourcePlace
            + "-"
            + targetPlace
            + " is outside of the sentence pair, which has "
            + sourceWords
            + " and "
            + targetWords
            + " words";
      }
      pair.addLink(sourcePlace, targetPlace);
    }
    return null;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** The word at an offset, cut if it is long. */
  private static String shown(byte[] line, int from, int length) {
    int to = from;
    while (to < length && to < from + MAX_SHOWN && !WordIds.isSpace(line[to])) {
      to++;
    }
    return new String(line, from, to - from, StandardCharsets.UTF_8);
  }
}
