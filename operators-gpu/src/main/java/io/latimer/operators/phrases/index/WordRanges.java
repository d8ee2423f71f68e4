package io.latimer.operators.phrases.index;

import io.latimer.operators.ngram.WordIds;
import java.util.Arrays;

/** Where the words of a line are, split as by {@link WordIds#split}. Reused from line to line. */
public final class WordRanges {
  private int[] ranges = new int[128];
  private int size;

  /** Splits the first {@code length} bytes. */
  public void split(byte[] line, int length) {
    size = 0;
    int start = -1;
    for (int i = 0; i <= length; i++) {
      boolean space = i == length || WordIds.isSpace(line[i]);
      if (space && start >= 0) {
        add(start, i);
        start = -1;
      } else if (!space && start < 0) {
        start = i;
      }
    }
  }

  private void add(int from, int to) {
    if (2 * size + 2 > ranges.length) {
      ranges = Arrays.copyOf(ranges, 2 * ranges.length);
    }
    ranges[2 * size] = from;
    ranges[2 * size + 1] = to;
    size++;
  }

  public int size() {
    return size;
  }

  /** The first byte of a word. */
  public int from(int word) {
    return ranges[2 * word];
  }

  /** The byte after a word's last. */
  public int to(int word) {
    return ranges[2 * word + 1];
  }
}
