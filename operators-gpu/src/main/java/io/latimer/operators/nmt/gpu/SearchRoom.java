package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.Optional;

/**
 * What a search on a GPU has room for.
 *
 * @param sentences places for sentences, a power of two
 * @param tokens places for the source tokens of all sentences there
 * @param joinSentences most sentences that join at once
 * @param joinTokens most source tokens that join at once
 * @param longest tokens of the longest sentence
 * @param weights places for attention weights; 0 where they are not wanted
 */
record SearchRoom(
    int sentences, int tokens, int joinSentences, int joinTokens, int longest, long weights) {
  /** The most attention weights that a search can have: lat_nmt_options.attention. */
  static final long MOST_WEIGHTS = 1L << 34;

  /** The most words of 4 bytes that a result can have: a page-locked buffer holds no more. */
  static final long MOST_RESULT_WORDS = Integer.MAX_VALUE / 4;

  /** Hypotheses that keep a device busy. */
  private static final int ROWS = 8192;

  private static final int FEWEST_SENTENCES = 256;
  private static final int MOST_JOINING = 4096;
  private static final int USUAL_LONGEST = 128;

  /** Tokens of a sentence: twice what most have. */
  private static final int TOKENS = 64;

  /** Tokens of a sentence that joins, and of one whose attention is kept. */
  private static final int USUAL_TOKENS = 32;

  /**
   * As much as is of use.
   *
   * @param longest tokens of a sentence that must fit
   */
  static SearchRoom of(DecodeOptions options, int longest) {
    int sentences = Math.max(FEWEST_SENTENCES, powerOfTwo(ROWS / options.beamSize()));
    int most = Math.max(USUAL_LONGEST, powerOfTwo(longest));
    return of(options, sentences, most);
  }

  private static SearchRoom of(DecodeOptions options, int sentences, int longest) {
    int joining = Math.min(sentences, MOST_JOINING);
    return new SearchRoom(
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
   * The next smaller, to be tried where this is too large: for half as many sentences. Where the
   * result of its longest cannot be read back, for no longer ones than it must be.
   *
   * @param longest tokens of a sentence that must still fit
   * @return nothing if this is for that sentence alone
   */
  Optional<SearchRoom> smaller(DecodeOptions options, int longest) {
    int least = Math.max(USUAL_LONGEST, longest);
    if (this.longest > least && resultWords(options, this.longest) > MOST_RESULT_WORDS) {
      return Optional.of(of(options, sentences, least));
    }
    if (sentences > 1) {
      return Optional.of(of(options, sentences / 2, this.longest));
    }
    SearchRoom alone = alone(options, longest);
    return equals(alone) ? Optional.empty() : Optional.of(alone);
  }

  /** For one sentence of a length. */
  static SearchRoom alone(DecodeOptions options, int length) {
    return new SearchRoom(1, length, 1, length, length, weights(options, length));
  }

  /** Whether what it takes is for the longest sentence, and not for many. */
  boolean isForTheLongest(DecodeOptions options) {
    return tokens == longest || (weights > 0 && weights == weights(options, longest));
  }

  /** Whether a sentence fits where there is no other. */
  boolean holds(DecodeOptions options, int length) {
    return length <= longest && weights(options, length) <= weights;
  }

  /**
   * Words of 4 bytes that a sentence's result may take: lat_nmt_result_words.
   *
   * @param length its source tokens
   */
  static long resultWords(DecodeOptions options, int length) {
    long words = options.limit(length);
    long all = 6 + 2 * words + (options.alignment() ? words * length : 0);
    return 2 + options.nBest() * ((all + 1) / 2 * 2);
  }

  /**
   * Places for attention weights that a sentence takes: a row for every word of every hypothesis.
   */
  static long weights(DecodeOptions options, int length) {
    return options.alignment() ? (long) options.limit(length) * options.beamSize() * length : 0;
  }
}
