package io.latimer.operators.phrases;

import java.io.Serializable;

/**
 * Which phrases are looked up, and how their translations are extracted.
 *
 * @param samples most occurrences of a phrase that are looked at, evenly spaced among its suffixes;
 *     0 for all, up to 2,147,483,647. With learned pairs, these are so many occurrences of the
 *     index file, the same as without the pairs, and at most as many in the pairs
 * @param maxSource words of the longest source phrase; 0 for no limit: a sentence of n words that
 *     the text has, too, then has n * n / 2 phrases
 * @param maxTarget words of the longest target phrase; 0 for no limit
 * @param loose whether the words at the edges of a phrase may be unaligned, on either side. A
 *     source phrase then has a translation for each way to extend the target phrase over the
 *     unaligned words next to it, up to the longest target phrase. Without such a limit, n
 *     unaligned words on either side give n * n translations of one occurrence
 */
public record PhraseOptions(int samples, int maxSource, int maxTarget, boolean loose)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The limits of He, Lin and Lopez 2013: 300 samples, 5 and 15 words, aligned edges. */
  public static final PhraseOptions DEFAULT = new PhraseOptions(300, 5, 15, false);

  public PhraseOptions {
    require("samples", samples);
    require("the maximum of source words", maxSource);
    require("the maximum of target words", maxTarget);
  }

  private static void require(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " must be 0 or more, found " + value);
    }
  }

  /** Whether an occurrence with so many target words is too long. */
  boolean isTooLong(int targetWords) {
    return maxTarget > 0 && targetWords > maxTarget;
  }

  /** Words by which a target phrase that is not too long can be extended. */
  int extension(int targetWords) {
    return maxTarget == 0 ? Integer.MAX_VALUE : maxTarget - targetWords;
  }

  /** Words of the longest source phrase in a sentence. */
  int longest(int words) {
    return maxSource == 0 ? words : Math.min(words, maxSource);
  }

  /** Occurrences that are looked at, of all that a phrase has in an index file. */
  int sampled(long occurrences) {
    return (int) Math.min(samples == 0 ? Integer.MAX_VALUE : samples, occurrences);
  }

  /**
   * Occurrences that are looked at beside these, of all that a phrase has in learned pairs.
   *
   * @param sampled occurrences of the index file that are looked at
   */
  int sampledOfLearned(long occurrences, int sampled) {
    return Math.min(sampled(occurrences), Integer.MAX_VALUE - sampled);
  }
}
