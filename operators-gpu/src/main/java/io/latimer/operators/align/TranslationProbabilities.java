package io.latimer.operators.align;

/**
 * How probable words of one language are as translations of words of another: t(word | given), the
 * lexical part of an alignment model. Words are ids of the model's vocabularies. Thread-safe.
 */
interface TranslationProbabilities {
  /** The id of every word that the vocabulary lacks. */
  int UNKNOWN = 0;

  /**
   * The probability of a word as the translation of another.
   *
   * @param given the other word's id, or {@link #UNKNOWN}
   * @param word its id, or {@link #UNKNOWN}
   * @param same whether the two are spelled the same
   * @return above 0, at most 1
   */
  double of(int given, int word, boolean same);

  /** The probability of a word that is the translation of nothing; above 0, at most 1. */
  double ofNull(int word);
}
