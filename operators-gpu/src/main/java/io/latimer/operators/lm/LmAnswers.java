package io.latimer.operators.lm;

/** The scores of {@link LmQueries}, in their order. */
public final class LmAnswers {
  private final float[] log10;
  private final byte[] lengths;

  /** Makes answers; the arrays are not copied. */
  public LmAnswers(float[] log10, byte[] lengths) {
    this.log10 = log10;
    this.lengths = lengths;
  }

  /** log10 of the probability of each word in its context; do not modify. */
  public float[] log10() {
    return log10;
  }

  /** Words of the longest n-gram that matched, 1 to the model's order; do not modify. */
  public byte[] lengths() {
    return lengths;
  }
}
