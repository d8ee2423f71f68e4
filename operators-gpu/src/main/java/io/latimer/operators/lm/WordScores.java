package io.latimer.operators.lm;

/**
 * The scores of the words of a {@link LmSentence}, with one for {@code </s>} where that is scored.
 */
public final class WordScores {
  private final float[] log10;
  private final byte[] lengths;
  private final int unknown;
  private final float total;
  private final LmState out;

  /**
   * Makes scores; the arrays are not copied.
   *
   * @see #log10
   * @see #lengths
   * @see #unknown
   * @see #total
   * @see #out
   */
  public WordScores(float[] log10, byte[] lengths, int unknown, float total, LmState out) {
    this.log10 = log10;
    this.lengths = lengths;
    this.unknown = unknown;
    this.total = total;
    this.out = out;
  }

  /** log10 of the probability of each word in its context; not to be changed. */
  public float[] log10() {
    return log10;
  }

  /** Words of the longest n-gram of the model that matched, 1 to its order; not to be changed. */
  public byte[] lengths() {
    return lengths;
  }

  /** How many of the words the model does not know: those of id 0. */
  public int unknown() {
    return unknown;
  }

  /** The sum of the scores, each step of it rounded to float32, in the order of the words. */
  public float total() {
    return total;
  }

  /** The context for what follows. */
  public LmState out() {
    return out;
  }
}
