package io.latimer.operators.phrases.index;

import java.util.List;

/** How often words, and words after another, occur in target sentences. Immutable. */
public final class TargetBigrams implements AutoCloseable {
  /** Of no sentences. */
  public static final TargetBigrams NONE = new TargetBigrams(List.of());

  private final PairCounts counts = new PairCounts(); // after END: of a word after any other
  private int words;

  /**
   * Counts in sentences.
   *
   * @param sentences ids of words; {@link PhraseSections#END} for one that does not count
   */
  public TargetBigrams(Iterable<int[]> sentences) {
    for (int[] sentence : sentences) {
      int before = PhraseSections.END;
      for (int word : sentence) {
        add(before, word);
        before = word;
      }
    }
  }

  /** Counts in a segment. */
  TargetBigrams(Segment segment) {
    int before = PhraseSections.END;
    for (int at = 0; at < segment.targetLength(); at++) {
      int word = segment.target(at);
      add(before, word);
      before = word;
    }
  }

  private void add(int before, int word) {
    if (word != PhraseSections.END) {
      words++;
      counts.add(PhraseSections.END, word, 1);
      if (before != PhraseSections.END) {
        counts.add(before, word, 1);
      }
    }
  }

  /** The number of words. */
  public int words() {
    return words;
  }

  /** How often a word occurs; 0 if it does not. */
  public int count(int word) {
    return counts.count(PhraseSections.END, word);
  }

  /** How often a word occurs after another; 0 if it does not. */
  public int count(int before, int word) {
    return counts.count(before, word);
  }

  /** Does nothing: it has no memory but Java's. */
  @Override
  public void close() {}
}
