package io.latimer.operators.phrases.index;

import java.util.Arrays;

/**
 * The segment of learned pairs, the last of its index, and which pair each sentence comes from.
 * Thread-safe.
 */
public final class LearnedSegment {
  private final int number;
  private final Segment segment;
  private final int[] starts; // position of each source sentence's first word
  private final LearnedPairs pairs;
  private TargetBigrams bigrams; // null until they are asked for

  LearnedSegment(int number, SegmentText text, Segment segment, LearnedPairs pairs) {
    this.number = number;
    this.segment = segment;
    this.pairs = pairs;
    this.starts = new int[pairs.size()];
    int[] words = text.source().words;
    int sentence = 0;
    for (int at = 0, start = 0; at < text.source().length; at++) {
      if (words[at] == PhraseSections.END) {
        starts[sentence++] = start;
        start = at + 1;
      }
    }
  }

  /** Its number among the segments of the index. */
  public int number() {
    return number;
  }

  public Segment segment() {
    return segment;
  }

  /** What its target text has; counted at the first call. */
  public synchronized TargetBigrams bigrams() {
    if (bigrams == null) {
      bigrams = new TargetBigrams(segment);
    }
    return bigrams;
  }

  /**
   * The number of the pair whose source sentence has a position.
   *
   * @param position in the source text of the segment
   */
  public long pairAt(int position) {
    int found = Arrays.binarySearch(starts, position);
    return pairs.from() + (found >= 0 ? found : -found - 2);
  }
}
