package io.latimer.operators.phrases.index;

/**
 * The longest common prefixes of the suffixes that a binary search compares (Manber and Myers,
 * "Suffix Arrays: A New Method for On-Line String Searches", 1993), so that a search compares no
 * word twice.
 *
 * <p>The suffixes of one first word, ranks {@code from} to {@code to} - 1, are searched with the
 * bounds {@code low = from - 1} and {@code high = to} and the middle {@code (low + high) >>> 1},
 * until there is none between. So each rank is the middle of one pair of bounds, with which its
 * suffix shares {@link #withLow} and {@link #withHigh} words. The outermost bounds count as sharing
 * only the first word.
 */
final class PrefixLengths {
  /** Larger lengths are stored as this one. Queries must be shorter. */
  static final int MAX = 0xFFFF;

  private PrefixLengths() {}

  /** The shared words with the lower bound. */
  static int withLow(int entry) {
    return entry & MAX;
  }

  /** The shared words with the upper bound. */
  static int withHigh(int entry) {
    return entry >>> 16;
  }

  /**
   * Computes the entries.
   *
   * @param text ids of words
   * @param suffixes its suffix array
   * @param starts per id, the rank of its first suffix, and the number of suffixes
   * @return per rank, the two lengths, each at most {@link #MAX}; overwrites nothing
   */
  static int[] of(int[] text, int[] suffixes, int[] starts) {
    int[] shared = withPrevious(text, suffixes);
    int[] entries = new int[suffixes.length];
    for (int word = 0; word + 1 < starts.length; word++) {
      if (starts[word] < starts[word + 1]) {
        shared[starts[word]] = 1;
        fill(starts[word] - 1, starts[word + 1], starts[word + 1], shared, entries);
      }
    }
    return entries;
  }

  /** Fills the middles between two bounds; returns the words that the bounds share. */
  private static int fill(int low, int high, int end, int[] shared, int[] entries) {
    if (high - low == 1) {
      return high == end ? 1 : Math.min(shared[high], MAX);
    }
    int middle = (low + high) >>> 1;
    int withLow = fill(low, middle, end, shared, entries);
    int withHigh = fill(middle, high, end, shared, entries);
    entries[middle] = withHigh << 16 | withLow;
    return Math.min(withLow, withHigh);
  }

  /**
   * Per rank, the words that its suffix shares with the one before, in the order of the text
   * (Kärkkäinen, Manzini and Puglisi, "Permuted Longest-Common-Prefix Array", 2009).
   */
  private static int[] withPrevious(int[] text, int[] suffixes) {
    int n = suffixes.length;
    int[] permuted = new int[n];
    if (n == 0) {
      return permuted;
    }
    permuted[suffixes[0]] = -1;
    for (int rank = 1; rank < n; rank++) {
      permuted[suffixes[rank]] = suffixes[rank - 1];
    }
    int length = 0;
    for (int i = 0; i < n; i++) {
      int previous = permuted[i];
      if (previous < 0) {
        length = 0;
      } else {
        while (i + length < n
            && previous + length < n
            && text[i + length] == text[previous + length]) {
          length++;
        }
      }
      permuted[i] = length;
      length = Math.max(0, length - 1);
    }
    int[] shared = new int[n];
    for (int rank = 0; rank < n; rank++) {
      shared[rank] = permuted[suffixes[rank]];
    }
    return shared;
  }
}
