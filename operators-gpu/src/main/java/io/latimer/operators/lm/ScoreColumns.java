package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;

/**
 * Scores of a few texts, in columns: the tokens are concatenated, text by text. The columns per
 * token are empty unless {@link ScoreOptions#words}.
 *
 * @param tokens ids with the flags of {@link LmTokens}; includes {@code <s>}
 * @param offsets the first token of each text, and the end of the last text
 * @param options the sentence marks around the words of each text, and which columns there are
 * @param log10 log10 of the probability, per token
 * @param lengths words of the longest match, per token
 * @param totals total log10 per text, each step of the sum rounded to float32
 * @param unknown the number of unknown words per text
 * @param unknownTotals the sum of the log10 of the unknown words, per text
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ScoreColumns(
    int[] tokens,
    int[] offsets,
    ScoreOptions options,
    float[] log10,
    byte[] lengths,
    float[] totals,
    int[] unknown,
    double[] unknownTotals) {
  private static final int FLAGS = LmTokens.FIRST | LmTokens.CONTEXT;

  /** Allocates columns for the given numbers of texts and tokens. */
  ScoreColumns(int texts, int tokens, ScoreOptions options) {
    this(
        new int[options.words() ? tokens : 0],
        new int[texts + 1],
        options,
        new float[options.words() ? tokens : 0],
        new byte[options.words() ? tokens : 0],
        new float[texts],
        new int[texts],
        new double[texts]);
  }

  /**
   * Columns that compute their own sums.
   *
   * @param tokens copied; may be longer than there are tokens, as may {@code offsets}
   * @param log10 copied
   * @param lengths copied
   */
  static ScoreColumns summed(
      int texts, int[] tokens, int[] offsets, ScoreOptions options, float[] log10, byte[] lengths) {
    ScoreColumns columns = new ScoreColumns(texts, offsets[texts], options);
    System.arraycopy(offsets, 0, columns.offsets, 0, texts + 1);
    System.arraycopy(tokens, 0, columns.tokens, 0, columns.tokens.length);
    System.arraycopy(log10, 0, columns.log10, 0, columns.log10.length);
    System.arraycopy(lengths, 0, columns.lengths, 0, columns.lengths.length);
    for (int text = 0; text < texts; text++) {
      float total = 0;
      for (int i = columns.first(text); i < offsets[text + 1]; i++) {
        total += log10[i];
        if ((tokens[i] & ~FLAGS) == WordTable.UNKNOWN) {
          columns.unknown[text]++;
          columns.unknownTotals[text] += log10[i];
        }
      }
      columns.totals[text] = total;
    }
    return columns;
  }

  int texts() {
    return totals.length;
  }

  /** The first score of a text: {@code <s>} has none. */
  int first(int text) {
    return offsets[text] + (options.begin() ? 1 : 0);
  }

  /** The number of scored tokens of a text. */
  int scored(int text) {
    return offsets[text + 1] - first(text);
  }

  /** The id of a token. */
  int id(int token) {
    return tokens[token] & ~FLAGS;
  }
}
