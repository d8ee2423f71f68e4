package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.Optional;

/**
 * The capacity of a search on a GPU.
 *
 * @param sentences number of sentences, a power of two
 * @param tokens source tokens of all its sentences
 * @param joinSentences maximum number of sentences that join together
 * @param joinTokens maximum number of source tokens that join together
 * @param longest maximum number of tokens of a sentence
 * @param weights attention weights; 0 if not wanted
 */
record SearchCapacity(
    int sentences, int tokens, int joinSentences, int joinTokens, int longest, long weights) {
  /** The maximum of attention weights in a search: lat_nmt_options.attention. */
  static final long MOST_WEIGHTS = 1L << 34;

  /** The maximum size of a result in 4-byte words: that of a page-locked buffer. */
  static final long MOST_RESULT_WORDS = Integer.MAX_VALUE / 4;

  /** Hypotheses that keep a device busy. */
  private static final int ROWS = 8192;

  private static final int FEWEST_SENTENCES = 256;
  private static final int MOST_JOINING = 4096;

  /** Tokens of the longest sentence that any search for many sentences holds. */
  static final int USUAL_LONGEST = 128;

  /** Tokens per sentence: twice the typical number. */
  private static final int TOKENS = 64;

  /** Tokens per sentence when sentences join, and when their attention is kept. */
  private static final int USUAL_TOKENS = 32;

  /**
   * The largest useful capacity.
   *
   * @param longest tokens of a sentence that must fit
   */
  static SearchCapacity of(DecodeOptions options, int longest) {
    int sentences = Math.max(FEWEST_SENTENCES, powerOfTwo(ROWS / options.beamSize()));
    int most = Math.max(USUAL_LONGEST, powerOfTwo(longest));
    return of(options, sentences, most);
  }

  private static SearchCapacity of(DecodeOptions options, int sentences, int longest) {
    int joining = Math.min(sentences, MOST_JOINING);
    return new SearchCapacity(
        sentences,
        Math.max(longest, sentences * TOKENS),
        joining,
        Math.max(longest, joining * USUAL_TOKENS),
        longest,
        Math.min(
            MOST_WEIGHTS,
            Math.max(weights(options, longest), sentences * weights(options, USUAL_TOKENS))));
  }

  private static int powerOfTwo(int atLeast) {
    return Integer.highestOneBit(Math.max(1, 2 * atLeast - 1));
  }

  /**
   * The next smaller capacity to try: half as many sentences. If the longest sentence's result
   * cannot be read back, first reduces the maximum length to the minimum required.
   *
   * @param longest tokens of a sentence that must still fit
   * @return empty if this is already for that sentence alone
   */
  Optional<SearchCapacity> smaller(DecodeOptions options, int longest) {
    int least = Math.max(USUAL_LONGEST, longest);
    if (this.longest > least && resultWords(options, this.longest) > MOST_RESULT_WORDS) {
      return Optional.of(of(options, sentences, least));
    }
    if (sentences > 1) {
      return Optional.of(of(options, sentences / 2, this.longest));
    }
    SearchCapacity alone = alone(options, longest);
    return equals(alone) ? Optional.empty() : Optional.of(alone);
  }

  /** The capacity for one sentence of a given length. */
  static SearchCapacity alone(DecodeOptions options, int length) {
    return new SearchCapacity(1, length, 1, length, length, weights(options, length));
  }

  /** Whether its size is due to the longest sentence rather than to many. */
  boolean isForTheLongest(DecodeOptions options) {
    return tokens == longest || (weights > 0 && weights == weights(options, longest));
  }

  /** Whether a sentence fits into an empty search. */
  boolean holds(DecodeOptions options, int length) {
    return length <= longest && weights(options, length) <= weights;
  }

  /**
   * Maximum size of a sentence's result in 4-byte words: lat_nmt_result_words.
   *
   * @param length number of source tokens
   */
  static long resultWords(DecodeOptions options, int length) {
    long words = options.limit(length);
    long all = 6 + 2 * words + (options.alignment() ? words * length : 0);
    return 2 + options.nBest() * ((all + 1) / 2 * 2);
  }

  /** Attention weights of a sentence: one row per word of every hypothesis. */
  static long weights(DecodeOptions options, int length) {
    return options.alignment() ? (long) options.limit(length) * options.beamSize() * length : 0;
  }
}
