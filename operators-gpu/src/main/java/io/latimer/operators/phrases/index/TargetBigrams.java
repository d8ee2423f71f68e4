package io.latimer.operators.phrases.index;

/** How often words, and words after another, occur in the target text of a segment. Immutable. */
public final class TargetBigrams {
  private final PairCounts counts = new PairCounts(); // after END: of a word after any other
  private int words;

  TargetBigrams(Segment segment) {
    int before = PhraseSections.END;
    for (int at = 0; at < segment.targetLength(); at++) {
      int word = segment.target(at);
      if (word != PhraseSections.END) {
        counts.add(PhraseSections.END, word, 1);
        words++;
        if (before != PhraseSections.END) {
          counts.add(before, word, 1);
        }
      }
      before = word;
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
}
