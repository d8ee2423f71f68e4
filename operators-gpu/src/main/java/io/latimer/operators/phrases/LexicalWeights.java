package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.Lexicon;
import io.latimer.operators.phrases.index.PhraseSections;

/**
 * The lexical weights of a phrase pair, as cdec's extractor defines them: each word of one side
 * counts with its best link to a word of the other side, or to nothing.
 */
final class LexicalWeights {
  /** The cost of a word that is never linked to a word of the other side. */
  static final double NEVER_LINKED = 99;

  private LexicalWeights() {}

  /** The target words given the source words: the sum of -log10 max w(y|x). */
  static double targetGivenSource(Lexicon lexicon, int[] source, int[] target) {
    double sum = 0;
    for (int word : target) {
      double best = lexicon.targetGivenSource(PhraseSections.END, word);
      for (int sourceWord : source) {
        best = Math.max(best, lexicon.targetGivenSource(sourceWord, word));
      }
      sum += cost(best);
    }
    return sum;
  }

  /** The source words given the target words: the sum of -log10 max w(x|y). */
  static double sourceGivenTarget(Lexicon lexicon, int[] source, int[] target) {
    double sum = 0;
    for (int word : source) {
      double best = lexicon.sourceGivenTarget(word, PhraseSections.END);
      for (int targetWord : target) {
        best = Math.max(best, lexicon.sourceGivenTarget(word, targetWord));
      }
      sum += cost(best);
    }
    return sum;
  }

  private static double cost(double probability) {
    return probability == 0 ? NEVER_LINKED : -StrictMath.log10(probability);
  }
}
