package io.latimer.operators.smt.tune;

import io.latimer.operators.text.BleuCounts;
import java.util.Arrays;

/** A translation of a sentence, reduced to its features and its counts for BLEU. */
final class Candidate {
  private final double[] features;
  private final BleuCounts counts;

  /**
   * Makes a candidate.
   *
   * @param features not copied
   */
  Candidate(double[] features, BleuCounts counts) {
    this.features = features;
    this.counts = counts;
  }

  /** Its features; not to be changed. */
  double[] features() {
    return features;
  }

  BleuCounts counts() {
    return counts;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Candidate that
        && counts.equals(that.counts)
        && Arrays.equals(features, that.features);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(features) + counts.hashCode();
  }
}
