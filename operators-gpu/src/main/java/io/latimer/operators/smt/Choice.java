package io.latimer.operators.smt;

/**
 * A translation of a source phrase that the search may choose; shared by the sentences of a batch.
 */
final class Choice {
  /** Unique in the batch; set when the batch's choices are known. */
  int number;

  /** The number of source words. */
  final int sourceWords;

  /** Ids of the target words in the phrase index; null for a source word that is copied. */
  final int[] target;

  /** Ids of the target words in the language model. */
  final int[] words;

  /** The features that do not depend on other phrases; {@link Feature#LANGUAGE_MODEL} is 0. */
  final double[] features;

  /** The weighted sum of these. */
  final double fixed;

  /** The same, with the language model's score without context: what the search expects. */
  double expected;

  /**
   * Makes a choice.
   *
   * @param features not copied
   */
  Choice(int sourceWords, int[] target, int[] words, double[] features, FeatureWeights weights) {
    this.sourceWords = sourceWords;
    this.target = target;
    this.words = words;
    this.features = features;
    this.fixed = weights.score(features);
    this.expected = fixed;
  }
}
