package io.latimer.operators.align;

/**
 * How probable words of one language are as translations of words of another: t(word | given), the
 * lexical part of an alignment model. Words are ids of the model's vocabularies. Thread-safe.
 */
interface TranslationProbabilities {
  /** The id of every word that the vocabulary lacks. */
  int UNKNOWN = 0;

  /** The probabilities given the words of a sentence. */
  Given given(Words sentence);

  /** The probability of a word given the null word (nothing); above 0, at most 1. */
  double ofNull(int word);

  /** How probable words are as translations of the words of one sentence. Thread-safe. */
  @FunctionalInterface
  interface Given {
    /**
     * Fills in the probabilities of a word.
     *
     * @param word its id, or {@link #UNKNOWN}
     * @param spelling its spelling, as {@link Words} numbers them
     * @param probabilities receives, for each word of the given sentence, how probable the word is
     *     as its translation: above 0, at most 1
     */
    void fill(int word, int spelling, double[] probabilities);
  }
}
