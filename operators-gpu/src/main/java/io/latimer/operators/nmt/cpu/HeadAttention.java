package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.TransformerSettings;
import java.util.Arrays;

/**
 * Attention of one query to keys and values that lie anywhere: of each position in turn D keys,
 * then D values. All heads one after the other. A result depends on query, keys and values alone.
 */
final class HeadAttention {
  private final int width;
  private final int heads;
  private final int headWidth;
  private final float scale;
  private float[] weights = {};
  private float[] scratch = {};

  /** The array in which each position's keys and values lie. */
  float[][] array = {};

  /** Where they start in it. */
  int[] offset = {};

  HeadAttention(TransformerSettings s) {
    width = s.width();
    heads = s.heads();
    headWidth = s.headWidth();
    scale = (float) (1 / Math.sqrt(headWidth));
  }

  /** Makes room for so many positions. */
  void room(int positions) {
    if (offset.length < positions) {
      int size = Math.max(positions, 2 * offset.length);
      array = Arrays.copyOf(array, size);
      offset = Arrays.copyOf(offset, size);
      weights = new float[size];
      scratch = new float[size];
    }
  }

  /** Lets positions lie one after the other in one array. */
  void positions(float[] keysAndValues, int first, int n) {
    room(n);
    for (int t = 0; t < n; t++) {
      array[t] = keysAndValues;
      offset[t] = (first + t) * 2 * width;
    }
  }

  /**
   * Attends.
   *
   * @param query D values from qo
   * @param n positions, 1 or more
   * @param out becomes D values from oo
   * @param first becomes the n weights of head 0 from fo; null if they are not wanted
   */
  void attend(float[] query, int qo, int n, float[] out, int oo, float[] first, int fo) {
    Arrays.fill(out, oo, oo + width, 0f);
    for (int h = 0; h < heads; h++) {
      int at = h * headWidth;
      for (int t = 0; t < n; t++) {
        weights[t] = scale * Vectors.dot(query, qo + at, array[t], offset[t] + at, headWidth);
      }
      Vectors.exp(weights, n, Vectors.max(weights, n), scratch);
      float share = 1 / Vectors.sum(weights, 0, n);
      for (int t = 0; t < n; t++) {
        float weight = weights[t] * share;
        if (h == 0 && first != null) {
          first[fo + t] = weight;
        }
        Vectors.addScaled(out, oo + at, weight, array[t], offset[t] + width + at, headWidth);
      }
    }
  }
}
