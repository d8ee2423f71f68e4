package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;

/** Scores of a few texts, in columns: the tokens are concatenated, text by text. */
final class ScoreColumns {
  private static final int FLAGS = LmTokens.FIRST | LmTokens.CONTEXT;

  /** Ids with the flags of {@link LmTokens}; includes {@code <s>}. */
  final int[] tokens;

  /** The first token of each text, and the end of the last text. */
  final int[] offsets;

  /** The sentence marks around the words of each text. */
  final ScoreOptions options;

  /** log10 of the probability, per token. */
  final float[] log10;

  /** Words of the longest match, per token. */
  final byte[] lengths;

  /** Total log10 per text, each step of the sum rounded to float32. */
  final float[] totals;

  /** The number of unknown words per text. */
  final int[] unknown;

  /** The sum of the log10 of the unknown words, per text. */
  final double[] unknownTotals;

  /** Allocates columns for the given numbers of texts and tokens. */
  ScoreColumns(int texts, int tokens, ScoreOptions options) {
    this(new int[tokens], new int[texts + 1], options, new float[tokens], new byte[tokens]);
  }

  private ScoreColumns(
      int[] tokens, int[] offsets, ScoreOptions options, float[] log10, byte[] lengths) {
    this.tokens = tokens;
    this.offsets = offsets;
    this.options = options;
    this.log10 = log10;
    this.lengths = lengths;
    this.totals = new float[offsets.length - 1];
    this.unknown = new int[offsets.length - 1];
    this.unknownTotals = new double[offsets.length - 1];
  }

  /** Columns that compute their own sums. */
  static ScoreColumns summed(
      int[] tokens, int[] offsets, ScoreOptions options, float[] log10, byte[] lengths) {
    ScoreColumns columns = new ScoreColumns(tokens, offsets, options, log10, lengths);
    for (int text = 0; text < columns.texts(); text++) {
      float total = 0;
      for (int i = columns.first(text); i < offsets[text + 1]; i++) {
        total += log10[i];
        if (columns.id(i) == WordTable.UNKNOWN) {
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
