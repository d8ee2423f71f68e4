package io.latimer.operators.nmt.cpu;

/**
 * A network on one batch: the encoder, then decoder steps for any number of hypotheses of any
 * sentences. Can be reused for further batches. Not thread-safe.
 */
abstract class CpuDecoder {
  /** Means "no word yet": an embedding of zeros. */
  static final int NO_WORD = -1;

  /** Rows x longest source: the attention for the alignment. */
  float[] attention = {};

  /** Width of a row of {@link #attention}. */
  int attentionStride;

  /** Rows x width: the input of the output layer. */
  float[] readout = {};

  /**
   * Encodes sentences and starts each with one hypothesis.
   *
   * @param sentences ids, longest sentence first; all within the vocabulary
   */
  abstract void start(int[][] sentences);

  /**
   * Computes states, attention and readout of the next word.
   *
   * @param rows number of hypotheses
   * @param words last word of each, or {@link #NO_WORD}
   * @param sentences sentence of each
   */
  abstract void step(int rows, int[] words, int[] sentences);

  /** Replaces the hypotheses: new row i continues old row {@code from[i]}. */
  abstract void reorder(int[] from, int rows);
}
