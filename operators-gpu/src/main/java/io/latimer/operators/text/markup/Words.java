package io.latimer.operators.text.markup;

import java.util.Arrays;

/** The words of a text: runs of letters, digits and marks, and every other character but spaces. */
final class Words {
  private final String text;
  private final int[] starts;
  private final int[] ends;

  private Words(String text, int[] starts, int[] ends) {
    this.text = text;
    this.starts = starts;
    this.ends = ends;
  }

  static Words of(String text) {
    int[] starts = new int[text.length()];
    int[] ends = new int[text.length()];
    int count = 0;
    boolean inWord = false;
    for (int at = 0; at < text.length(); ) {
      int point = text.codePointAt(at);
      int end = at + Character.charCount(point);
      boolean ofWord = isOfWord(point);
      if (ofWord && inWord) {
        ends[count - 1] = end;
      } else if (!Character.isWhitespace(point) && !Character.isSpaceChar(point)) {
        starts[count] = at;
        ends[count++] = end;
      }
      inWord = ofWord;
      at = end;
    }
    return new Words(text, Arrays.copyOf(starts, count), Arrays.copyOf(ends, count));
  }

  private static boolean isOfWord(int point) {
    int type = Character.getType(point);
    return Character.isLetterOrDigit(point)
        || type == Character.NON_SPACING_MARK
        || type == Character.COMBINING_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || point == 0x200C // joiners within words of Persian and Indic scripts
        || point == 0x200D;
  }

  int size() {
    return starts.length;
  }

  int start(int word) {
    return starts[word];
  }

  int end(int word) {
    return ends[word];
  }

  String get(int word) {
    return text.substring(starts[word], ends[word]);
  }

  boolean isPunctuation(int word) {
    return !isOfWord(text.codePointAt(starts[word]));
  }

  /** The first word that ends after an offset; {@link #size} if there is none. */
  int after(int offset) {
    int found = Arrays.binarySearch(ends, offset + 1);
    return found >= 0 ? found : -found - 1;
  }

  /** The words that share characters with a range. */
  WordRange in(int from, int to) {
    int first = after(from);
    int end = first;
    while (end < size() && starts[end] < to) {
      end++;
    }
    return new WordRange(first, end);
  }
}
