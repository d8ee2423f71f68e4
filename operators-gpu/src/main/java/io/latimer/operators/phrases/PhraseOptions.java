package io.latimer.operators.phrases;

import java.io.Serializable;

/**
 * Which phrases are looked up, and how their translations are extracted.
 *
 * @param samples maximum occurrences of a phrase to sample, evenly spaced among its suffixes; 0 for
 *     all, up to 2,147,483,647. Learned pairs do not change the samples from the index file; at
 *     most as many are taken from the pairs
 * @param maxSource maximum words of a source phrase; 0 for no limit: a sentence of n words that is
 *     also in the text then has n * n / 2 phrases
 * @param maxTarget maximum words of a target phrase; 0 for no limit
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

  /** Whether a target phrase of so many words is too long. */
  boolean isTooLong(int targetWords) {
    return maxTarget > 0 && targetWords > maxTarget;
  }

  /** Words by which a target phrase that is not too long can be extended. */
  int extension(int targetWords) {
    return maxTarget == 0 ? Integer.MAX_VALUE : maxTarget - targetWords;
  }

  /** Length of the longest source phrase in a sentence of so many words. */
  int longest(int words) {
    return maxSource == 0 ? words : Math.min(words, maxSource);
  }

  /** The number of samples, given a phrase's number of occurrences in an index file. */
  int sampled(long occurrences) {
    return (int) Math.min(samples == 0 ? Integer.MAX_VALUE : samples, occurrences);
  }

  /**
   * The number of additional samples, given a phrase's number of occurrences in learned pairs.
   *
   * @param sampled number of samples from the index file
   */
  int sampledOfLearned(long occurrences, int sampled) {
    return Math.min(sampled(occurrences), Integer.MAX_VALUE - sampled);
  }
}
