package io.latimer.operators.smt;

import io.latimer.operators.lm.WordScores;
import io.latimer.operators.phrases.index.TargetBigrams;

/**
 * What learned pairs add to the language model's score of a phrase: by how much their target text
 * makes its words more probable. The text is weighed against the model as in MAP adaptation
 * (Bacchiani and Roark, "Unsupervised Language Model Adaptation", 2003): with n words, or n
 * occurrences of the word before, it gives a word that it has c times the probability {@code (PRIOR
 * * p + c) / (PRIOR + n)}, where the model says p.
 *
 * <p>No word becomes less probable, as these probabilities would have it: a phrase without learned
 * words keeps its score. Thread-safe.
 */
final class LanguageModelGain {
  /** Learned words that count as much as the model. */
  private static final double PRIOR = 100;

  private final TargetBigrams learned;
  private final TargetBigrams before;

  /**
   * Makes gains.
   *
   * @param learned of pairs beside the index
   * @param before of pairs that the index was taught
   */
  LanguageModelGain(TargetBigrams learned, TargetBigrams before) {
    this.learned = learned;
    this.before = before;
  }

  /**
   * The gain of a phrase, which depends on the words before each within the phrase, but not on
   * those before the phrase.
   *
   * @param words ids in the phrase index; negative ones for words that it lacks
   * @param scores the model's of the words, without context before the phrase
   * @return log10, 0 or more
   */
  double log10(int[] words, WordScores scores) {
    double gain = 0;
    for (int i = 0; i < words.length; i++) {
      int count = count(words[i]);
      if (count > 0) {
        double known = PRIOR * Math.pow(10, scores.log10(i));
        int all = learned.words() + before.words();
        int after = i == 0 ? 0 : count(words[i - 1], words[i]);
        if (after > 0) {
          count = after;
          all = count(words[i - 1]);
        }
        double log10 = Math.log10((known + count) / (PRIOR + all));
        gain += Math.max(0, log10 - scores.log10(i));
      }
    }
    return gain;
  }

  private int count(int word) {
    return learned.count(word) + before.count(word);
  }

  private int count(int first, int second) {
    return learned.count(first, second) + before.count(first, second);
  }
}
