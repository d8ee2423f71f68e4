package io.latimer.operators.smt.tune;

import io.latimer.operators.text.bleu.BleuCounts;
import java.util.Arrays;

/**
 * A translation of a sentence, reduced to its features and its counts for BLEU.
 *
 * @param features not copied; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // equals compares their content
record Candidate(double[] features, BleuCounts counts) {
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
