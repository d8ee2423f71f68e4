package io.latimer.operators.smt;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.Lexicon;
import io.latimer.operators.phrases.index.PhraseIndex;

/**
 * Links the target words of a sentence's translations to its source words: each to the word of its
 * phrase that the lexicon gives the highest weight, or of equal ones to the one nearest to the same
 * relative position in the phrase.
 */
final class WordLinks {
  private final Lexicon lexicon;
  private final int[] source; // ids

  WordLinks(PhraseIndex index, SentenceWords sentence) {
    this.lexicon = index.lexicon();
    this.source = new int[sentence.size()];
    for (int i = 0; i < source.length; i++) {
      source[i] = index.source().id(sentence.word(i));
    }
  }

  /**
   * The source word that a target word is linked to.
   *
   * @param at number of the word in the phrase
   */
  int source(AppliedPhrase phrase, int at) {
    int best = phrase.from();
    double highest = -1;
    for (int i = phrase.from(); i < phrase.from() + phrase.words() && !phrase.isCopied(); i++) {
      double weight = lexicon.targetGivenSource(source[i], phrase.target(at));
      if (weight > highest || (weight == highest && gap(phrase, i, at) < gap(phrase, best, at))) {
        best = i;
        highest = weight;
      }
    }
    return best;
  }

  /** How far the middle of a source word is from that of a target word, if both fill the phrase. */
  private static double gap(AppliedPhrase phrase, int source, int target) {
    double from = (source - phrase.from() + 0.5) / phrase.words();
    return Math.abs(from - (target + 0.5) / phrase.targetWords());
  }
}
