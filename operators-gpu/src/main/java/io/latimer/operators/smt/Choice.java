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

  /**
   * Identifies the target words: their ids in the phrase index, or for copied words that it lacks a
   * negative number for each such word of the sentence.
   */
  final int[] identity;

  /** Ids of the target words in the language model. */
  final int[] words;

  /**
   * The features that do not depend on other phrases; {@link Feature#LANGUAGE_MODEL} has only what
   * learned pairs add.
   */
  final double[] features;

  /** The weighted sum of {@link #features}. */
  double fixed;

  /** {@link #fixed} plus the language model's score without context: the search's estimate. */
  double expected;

  /**
   * Makes a choice.
   *
   * @param features not copied
   */
  Choice(int sourceWords, int[] target, int[] words, double[] features) {
    this(sourceWords, target, target, words, features);
  }

  private Choice(int sourceWords, int[] target, int[] identity, int[] words, double[] features) {
    this.identity = identity;
    this.sourceWords = sourceWords;
    this.target = target;
    this.words = words;
    this.features = features;
  }

  /**
   * Makes the choice to copy a word.
   *
   * @param identity the word's, see {@link #identity}
   * @param word its id in the language model
   * @param features not copied
   */
  static Choice copy(int identity, int word, double[] features) {
    return new Choice(1, null, new int[] {identity}, new int[] {word}, features);
  }

  /**
   * Sets the scores.
   *
   * @param gain what learned pairs add to the language model's scores, as log10
   * @param log10 the language model's score of the words without context
   */
  void score(FeatureWeights weights, double gain, float log10) {
    features[Feature.LANGUAGE_MODEL.column] = gain;
    fixed = weights.score(features);
    expected = fixed + weights.of(Feature.LANGUAGE_MODEL) * log10;
  }
}
