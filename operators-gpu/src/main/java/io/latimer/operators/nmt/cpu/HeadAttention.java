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

  /** Of one head. */
  private float[] scores = {};

  private float[] scratch = {};

  /** Heads x positions. */
  private float[] weights = {};

  private final PowersOfTwo powers = new PowersOfTwo();

  /** The weight of a position for each of its values. */
  private final float[] factors;

  private final float[] value;
  private final float[] sum;

  /** The array that contains each position's keys and values. */
  float[][] array = {};

  /** Their offsets in it. */
  int[] offset = {};

  HeadAttention(TransformerSettings s) {
    width = s.attentionWidth();
    factors = new float[width];
    value = new float[width];
    sum = new float[width];
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
      scores = new float[size];
      scratch = new float[size];
      weights = new float[Math.multiplyExact(heads, size)];
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
    for (int h = 0; h < heads; h++) {
      score(h, query, qo, n);
      if (biases != null) {
        biases.addTo(scores, n, h, position);
      }
      // All heads at once, because exponentials of a few values cost as much as those of many
      System.arraycopy(scores, 0, weights, h * n, n);
      float max = Vectors.max(scores, n, scratch);
      for (int t = h * n; t < (h + 1) * n; t++) {
        weights[t] -= max;
      }
    }
    Vectors.exp(weights, heads * n, 0f, powers);
    for (int h = 0; h < heads; h++) {
      float share = 1 / Vectors.sum(weights, h * n, n);
      for (int t = 0; t < n; t++) {
        weights[h * n + t] *= share;
      }
    }
    if (alignment != null) {
      align(n, alignment, ao);
    }
    Arrays.fill(sum, 0f);
    for (int t = 0; t < n; t++) {
      // One loop over all heads, which are too short for loops of their own
      for (int h = 0; h < heads; h++) {
        Arrays.fill(factors, h * headWidth, (h + 1) * headWidth, weights[h * n + t]);
      }
      System.arraycopy(array[t], offset[t] + width, value, 0, width);
      Vectors.addProducts(sum, factors, value, width);
    }
    System.arraycopy(sum, 0, out, oo, width);
  }

  private void score(int h, float[] query, int qo, int n) {
    int at = h * headWidth;
    for (int t = 0; t < n; t++) {
      scores[t] = scale * Vectors.dot(query, qo + at, array[t], offset[t] + at, headWidth);
    }
  }

  private void align(int n, float[] alignment, int ao) {
    for (int t = 0; t < n; t++) {
      alignment[ao + t] = 0;
      for (int h = 0; h < aligned; h++) {
        alignment[ao + t] += weights[h * n + t] / aligned;
      }
    }
  }
}
