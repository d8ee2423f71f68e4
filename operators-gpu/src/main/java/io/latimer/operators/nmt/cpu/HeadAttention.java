package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.TransformerSettings;
import java.util.Arrays;

/**
 * Attention of one query to keys and values at arbitrary places: A keys, then A values per
 * position, all heads concatenated. A result depends only on query, keys and values.
 */
final class HeadAttention {
  private final int width;
  private final int heads;
  private final int headWidth;
  private final float scale;

  /** The heads whose weights are averaged for the alignment. */
  private final int aligned;

  private float[] weights = {};
  private float[] scratch = {};

  /** The array that contains each position's keys and values. */
  float[][] array = {};

  /** Their offsets in it. */
  int[] offset = {};

  HeadAttention(TransformerSettings s) {
    width = s.attentionWidth();
    heads = s.heads();
    headWidth = s.headWidth();
    scale = s.attentionScale();
    aligned = s.variant().alignmentHeads();
  }

  /** Ensures room for a number of positions. */
  void room(int positions) {
    if (offset.length < positions) {
      int size = Math.max(positions, 2 * offset.length);
      array = Arrays.copyOf(array, size);
      offset = Arrays.copyOf(offset, size);
      weights = new float[size];
      scratch = new float[size];
    }
  }

  /** Sets positions that are contiguous in one array. */
  void positions(float[] keysAndValues, int first, int n) {
    room(n);
    for (int t = 0; t < n; t++) {
      array[t] = keysAndValues;
      offset[t] = (first + t) * 2 * width;
    }
  }

  /**
   * Computes the attention.
   *
   * @param query A values at qo
   * @param n number of positions, 1 or more
   * @param out receives A values at oo
   * @param alignment receives n weights at ao: the mean of the heads for the alignment; may be null
   */
  void attend(float[] query, int qo, int n, float[] out, int oo, float[] alignment, int ao) {
    attend(query, qo, n, out, oo, alignment, ao, null, 0);
  }

  /**
   * Computes the attention with biases of relative positions.
   *
   * @param biases null for none
   * @param position the query's own position
   */
  void attend(
      float[] query,
      int qo,
      int n,
      float[] out,
      int oo,
      float[] alignment,
      int ao,
      RelativeBiases biases,
      int position) {
    Arrays.fill(out, oo, oo + width, 0f);
    for (int h = 0; h < heads; h++) {
      int at = h * headWidth;
      for (int t = 0; t < n; t++) {
        weights[t] = scale * Vectors.dot(query, qo + at, array[t], offset[t] + at, headWidth);
      }
      if (biases != null) {
        biases.addTo(weights, n, h, position);
      }
      Vectors.exp(weights, n, Vectors.max(weights, n), scratch);
      float share = 1 / Vectors.sum(weights, 0, n);
      for (int t = 0; t < n; t++) {
        float weight = weights[t] * share;
        if (alignment != null && h < aligned) {
          alignment[ao + t] = (h == 0 ? 0 : alignment[ao + t]) + weight / aligned;
        }
        Vectors.addScaled(out, oo + at, weight, array[t], offset[t] + width + at, headWidth);
      }
    }
  }
}
