package io.latimer.operators.phrases.index;

/**
 * Finds the suffixes that start with a phrase, by binary search over those that start with its
 * first word, which compares no word of the phrase twice (Manber and Myers 1993; passes 1 and 2 of
 * He, Lin and Lopez 2013, section 3). Not thread-safe.
 */
public final class PhraseSearch {
  private final Segment segment;
  private int withLow; // words that the lower bound shares with the phrase
  private int withHigh;

  public PhraseSearch(Segment segment) {
    this.segment = segment;
  }

  /**
   * The length of the longest phrase at a position of a sentence that occurs in the segment.
   *
   * @param sentence ids of words
   * @param from the first word
   * @param most words to look for, 1 or more; none of them is {@link PhraseSections#END}
   */
  public int longest(int[] sentence, int from, int most) {
    int word = sentence[from];
    if (word >= segment.sourceWords() || segment.start(word) == segment.start(word + 1)) {
      return 0;
    }
    first(sentence, from, most);
    return Math.max(withLow, withHigh);
  }

  /**
   * The rank of the first suffix that starts with a phrase; where it would be if there is none.
   *
   * @param sentence ids of words, as for {@link #longest}
   * @param from the first word, which occurs in the segment
   * @param words of the phrase, 1 or more
   */
  public int first(int[] sentence, int from, int words) {
    return search(sentence, from, words, false);
  }

  /** The rank after the last suffix that starts with a phrase. */
  public int end(int[] sentence, int from, int words) {
    return search(sentence, from, words, true);
  }

  private int search(int[] sentence, int from, int words, boolean end) {
    int word = sentence[from];
    int low = segment.start(word) - 1;
    int high = segment.start(word + 1);
    withLow = 1;
    withHigh = 1;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      int lengths = segment.prefixLengths(middle);
      boolean byLow = withLow >= withHigh;
      int known = byLow ? withLow : withHigh;
      int shared = byLow ? PrefixLengths.withLow(lengths) : PrefixLengths.withHigh(lengths);
      if (shared != known) {
        // The shared lengths differ, so they decide the comparison without reading words.
        if (byLow == shared > known) {
          low = middle;
          withLow = Math.min(shared, known);
        } else {
          high = middle;
          withHigh = Math.min(shared, known);
        }
        continue;
      }
      int position = segment.suffix(middle);
      // A corrupt index may claim shared words beyond the end of the text.
      int equal = Math.min(known, segment.sourceLength() - position);
      int difference = 0;
      while (equal < words) {
        int next = position + equal;
        int found = next < segment.sourceLength() ? segment.source(next) : PhraseSections.END;
        difference = found - sentence[from + equal];
        if (difference != 0) {
          break;
        }
        equal++;
      }
      if (difference < 0 || (difference == 0 && end)) {
        low = middle;
        withLow = equal;
      } else {
        high = middle;
        withHigh = equal;
      }
    }
    return high;
  }
}
