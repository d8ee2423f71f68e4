package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LmVocabulary;

/** Scores of a few texts, in columns: tokens lie one behind the other, text by text. */
final class ScoreColumns {
  private static final int FLAGS = LmTokens.FIRST | LmTokens.CONTEXT;

  /** Ids with the flags of {@link LmTokens}; {@code <s>} is one of them. */
  final int[] tokens;

  /** Where the tokens of each text begin, and where the last ends. */
  final int[] offsets;

  /** What goes before and behind the words of each text. */
  final ScoreOptions options;

  /** By token. */
  final float[] log10;

  /** Words of the longest match, by token. */
  final byte[] lengths;

  /** By text, each step of the sum rounded to float32. */
  final float[] totals;

  /** How many tokens of each text are the unknown word. */
  final int[] unknown;

  /** The sum of the log10 of those. */
  final double[] unknownTotals;

  /** Room for the scores of so many texts, which have so many tokens in all. */
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

  /** Columns whose sums are made here. */
  static ScoreColumns summed(
      int[] tokens, int[] offsets, ScoreOptions options, float[] log10, byte[] lengths) {
    ScoreColumns columns = new ScoreColumns(tokens, offsets, options, log10, lengths);
    for (int text = 0; text < columns.texts(); text++) {
      float total = 0;
      for (int i = columns.first(text); i < offsets[text + 1]; i++) {
        total += log10[i];
        if (columns.id(i) == LmVocabulary.UNKNOWN) {
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

  /** Where the scores of a text begin: {@code <s>} has none. */
  int first(int text) {
    return offsets[text] + (options.begin() ? 1 : 0);
  }

  /** How many tokens of a text have scores. */
  int scored(int text) {
    return offsets[text + 1] - first(text);
  }

  /** The id of a token. */
  int id(int token) {
    return tokens[token] & ~FLAGS;
  }
}
