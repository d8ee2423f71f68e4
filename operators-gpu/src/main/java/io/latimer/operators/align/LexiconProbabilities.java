package io.latimer.operators.align;

import io.latimer.operators.phrases.index.Lexicon;
import io.latimer.operators.phrases.index.PhraseSections;

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

  private final Counts counts;
  private final double allLinks;

  /** The link counts of a lexicon in one direction. */
  private interface Counts {
    int links(int given, int word);

    int ofGiven(int given);

    int ofWord(int word);
  }

  private LexiconProbabilities(Counts counts, int words) {
    this.counts = counts;
    long all = words; // add-one smoothing, with one for all unknown words
    for (int word = 1; word < words; word++) {
      all += counts.ofWord(word);
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
        new Counts() {
          @Override
          public int links(int given, int word) {
            return lexicon.links(given, word);
          }

          @Override
          public int ofGiven(int given) {
            return lexicon.sourceLinks(given);
          }

          @Override
          public int ofWord(int word) {
            return lexicon.targetLinks(word);
          }
        },
        targetWords);
  }

  /**
   * Of source words given target words.
   *
   * @param sourceWords size of the source vocabulary
   */
  static LexiconProbabilities sourceGivenTarget(Lexicon lexicon, int sourceWords) {
    return new LexiconProbabilities(
        new Counts() {
          @Override
          public int links(int given, int word) {
            return lexicon.links(word, given);
          }

          @Override
          public int ofGiven(int given) {
            return lexicon.targetLinks(given);
          }

          @Override
          public int ofWord(int word) {
            return lexicon.sourceLinks(word);
          }
        },
        sourceWords);
  }

  @Override
  public Given given(Words sentence) {
    int size = sentence.size();
    int[] ofGiven = new int[size];
    for (int i = 0; i < size; i++) {
      ofGiven[i] = counts.ofGiven(sentence.id(i));
    }
    return (word, spelling, probabilities) -> {
      double share = share(word);
      double sameSpelling = SAME_SPELLING + (1 - SAME_SPELLING) * share;
      for (int i = 0; i < size; i++) {
        int id = sentence.id(i);
        double mean = sentence.spelling(i) == spelling ? sameSpelling : share;
        probabilities[i] = id == UNKNOWN ? mean : smoothed(id, word, mean, ofGiven[i]);
      }
    };
  }

  @Override
  public double ofNull(int word) {
    int none = PhraseSections.END;
    return smoothed(none, word, share(word), counts.ofGiven(none));
  }

  private double smoothed(int given, int word, double mean, int ofGiven) {
    // Under the id of unknown words, the lexicon counts words that are linked to nothing.
    int links = word == UNKNOWN ? 0 : counts.links(given, word);
    return (links + STRENGTH * mean) / (ofGiven + STRENGTH);
  }

  /** A word's share of all links, with add-one smoothing. */
  private double share(int word) {
    return (word == UNKNOWN ? 1 : counts.ofWord(word) + 1.0) / allLinks;
  }
}
