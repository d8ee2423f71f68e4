package io.latimer.operators.align;

import io.latimer.operators.phrases.index.Lexicon;
import io.latimer.operators.phrases.index.PhraseSections;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/**
 * Translation probabilities from the link counts of an index, smoothed by a Dirichlet prior:
 *
 * <pre>t(w | g) = (links(g, w) + STRENGTH * mean(w | g)) / (links(g) + STRENGTH)</pre>
 *
 * <p>The mean is the share of w in all links; if w is spelled as g, as numbers and names often are,
 * this is mixed with {@link #SAME_SPELLING}. For a word g that the index lacks the mean itself is
 * the probability. So a word that the index lacks, or never links to a word of the other sentence,
 * is linked to the word with its spelling, else to a rare word near the diagonal.
 */
final class LexiconProbabilities implements TranslationProbabilities {
  /** The weight of the prior, as a pseudo-count of links. */
  static final double STRENGTH = 1;

  /** The prior probability that a word is its own translation. */
  static final double SAME_SPELLING = 0.5;

  private final IntBinaryOperator links;
  private final IntUnaryOperator ofGiven;
  private final IntUnaryOperator ofWord;
  private final double allLinks;

  /**
   * From the link counts of a lexicon in one direction: of a given word and another, of a given
   * word, and of another word.
   */
  private LexiconProbabilities(
      IntBinaryOperator links, IntUnaryOperator ofGiven, IntUnaryOperator ofWord, int words) {
    this.links = links;
    this.ofGiven = ofGiven;
    this.ofWord = ofWord;
    long all = words; // add-one smoothing, with one for all unknown words
    for (int word = 1; word < words; word++) {
      all += ofWord.applyAsInt(word);
    }
    this.allLinks = all;
  }

  /**
   * Of target words given source words.
   *
   * @param targetWords size of the target vocabulary
   */
  static LexiconProbabilities targetGivenSource(Lexicon lexicon, int targetWords) {
    return new LexiconProbabilities(
        lexicon::links, lexicon::sourceLinks, lexicon::targetLinks, targetWords);
  }

  /**
   * Of source words given target words.
   *
   * @param sourceWords size of the source vocabulary
   */
  static LexiconProbabilities sourceGivenTarget(Lexicon lexicon, int sourceWords) {
    return new LexiconProbabilities(
        (given, word) -> lexicon.links(word, given),
        lexicon::targetLinks,
        lexicon::sourceLinks,
        sourceWords);
  }

  @Override
  public Given given(Words sentence) {
    int size = sentence.size();
    int[] given = new int[size];
    for (int i = 0; i < size; i++) {
      given[i] = ofGiven.applyAsInt(sentence.id(i));
    }
    return (word, spelling, probabilities) -> {
      double share = share(word);
      double sameSpelling = SAME_SPELLING + (1 - SAME_SPELLING) * share;
      for (int i = 0; i < size; i++) {
        int id = sentence.id(i);
        double mean = sentence.spelling(i) == spelling ? sameSpelling : share;
        probabilities[i] = id == UNKNOWN ? mean : smoothed(id, word, mean, given[i]);
      }
    };
  }

  @Override
  public double ofNull(int word) {
    int none = PhraseSections.END;
    return smoothed(none, word, share(word), ofGiven.applyAsInt(none));
  }

  private double smoothed(int given, int word, double mean, int linksOfGiven) {
    // Under the id of unknown words, the lexicon counts words that are linked to nothing.
    int both = word == UNKNOWN ? 0 : links.applyAsInt(given, word);
    return (both + STRENGTH * mean) / (linksOfGiven + STRENGTH);
  }

  /** A word's share of all links, with add-one smoothing. */
  private double share(int word) {
    return (word == UNKNOWN ? 1 : ofWord.applyAsInt(word) + 1.0) / allLinks;
  }
}
