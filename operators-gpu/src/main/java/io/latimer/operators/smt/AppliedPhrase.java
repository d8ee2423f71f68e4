package io.latimer.operators.smt;

/** A source phrase of a sentence and the translation that was chosen for it. */
public final class AppliedPhrase {
  private final int from;
  private final int words;
  private final int[] target;

  AppliedPhrase(int from, int words, int[] target) {
    this.from = from;
    this.words = words;
    this.target = target;
  }

  /** Its first source word, from 0. */
  public int from() {
    return from;
  }

  /** The number of source words, 1 or more. */
  public int words() {
    return words;
  }

  /** Whether it is a word without a translation, which stands for itself. */
  public boolean isCopied() {
    return target == null;
  }

  /** The number of target words, 1 or more. */
  public int targetWords() {
    return isCopied() ? 1 : target.length;
  }

  /** The id of a target word in the phrase index, if the phrase is not copied. */
  public int target(int i) {
    return target[i];
  }
}
