package io.latimer.operators.smt;

import java.util.List;

/** A translation of a sentence, and the phrases that it was put together from. */
public final class Derivation {
  private final List<AppliedPhrase> phrases;
  private final double[] features;
  private final double score;

  /**
   * Makes a derivation.
   *
   * @param phrases in the order of the target words; none for a sentence without words
   * @param features the value of each {@link Feature}, in their order; not copied
   */
  Derivation(List<AppliedPhrase> phrases, double[] features, FeatureWeights weights) {
    this.phrases = List.copyOf(phrases);
    this.features = features;
    this.score = weights.score(features);
  }

  /** The phrases in the order of the target words; none for a sentence without words. */
  public List<AppliedPhrase> phrases() {
    return phrases;
  }

  /** The value of a feature. */
  public double feature(Feature feature) {
    return features[feature.column];
  }

  /** The value of each {@link Feature}, in their order; a copy. */
  public double[] features() {
    return features.clone();
  }

  /** The sum of the features times their weights; larger is better, and it may be above 0. */
  public double score() {
    return score;
  }
}
