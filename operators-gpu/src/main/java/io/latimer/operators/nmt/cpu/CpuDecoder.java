package io.latimer.operators.nmt.cpu;

/**
 * A network at work on one batch: the encoder, and one step of the decoder after the other for any
 * number of hypotheses of any sentences at once. Used by one thread at a time, for any number of
 * batches, one after the other.
 */
abstract class CpuDecoder {
  /** Stands for "no word yet": an embedding of zeros. */
  static final int NO_WORD = -1;

  /** Rows x longest source: attention, as the alignment is made of. */
  float[] attention = {};

  /** Width of a row of {@link #attention}. */
  int attentionStride;

  /** Rows x width: what is multiplied with the output matrix. */
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
   * @param rows hypotheses
   * @param words each one's last word, or {@link #NO_WORD}
   * @param sentences each one's sentence
   */
  abstract void step(int rows, int[] words, int[] sentences);

  /** Replaces the hypotheses: new row i continues old row {@code from[i]}. */
  abstract void reorder(int[] from, int rows);
}
