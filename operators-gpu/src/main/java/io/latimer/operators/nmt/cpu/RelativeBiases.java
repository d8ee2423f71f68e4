package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.RelativePositions;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerVariant;

/** What relative positions add to the scores of self-attention, by head and distance. */
final class RelativeBiases {
  /** The bucket of each distance from {@code 1 - most} to {@code most - 1}. */
  private final int[] buckets;

  /** Heads x buckets. */
  private final float[] table;

  private final int size;

  /** The last bucket begins here: farther words have the same bias. */
  private final int most;

  private RelativeBiases(TransformerVariant variant, Tensor biases, boolean bothWays) {
    size = variant.relativeBuckets();
    float[] stored = biases.floats();
    table = new float[size * biases.cols()];
    for (int h = 0; h < biases.cols(); h++) {
      for (int i = 0; i < size; i++) {
        table[h * size + i] = stored[i * biases.cols() + h];
      }
    }
    most = variant.relativeDistance() + 1;
    buckets = new int[2 * most - 1];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] =
          RelativePositions.bucket(i - most + 1, bothWays, size, variant.relativeDistance());
    }
  }

  /** The biases of the encoder or the decoder; null if the model has no relative positions. */
  static RelativeBiases of(Network model, TransformerVariant variant, boolean encoder) {
    return variant.positions() == Positions.RELATIVE
        ? new RelativeBiases(
            variant, model.tensor((encoder ? "encoder" : "decoder") + ".positions"), encoder)
        : null;
  }

  /**
   * Adds the biases.
   *
   * @param scores of positions 0 to {@code n - 1}
   * @param position of the attending word
   */
  void addTo(float[] scores, int n, int head, int position) {
    for (int t = 0; t < n; t++) {
      int distance = Math.max(1 - most, Math.min(most - 1, t - position));
      scores[t] += table[head * size + buckets[most - 1 + distance]];
    }
  }
}
