package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.RelativePositions;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;

/** What relative positions add to the scores of self-attention, by head and distance. */
final class RelativeBiases {
  /**
   * Heads x (2 * most - 1): the bias of each distance from {@code 1 - most} to {@code most - 1}.
   */
  private final float[] table;

  /** The last bucket begins here: farther words have the same bias. */
  private final int most;

  private RelativeBiases(TransformerSettings s, Tensor buckets, boolean bothWays) {
    most = s.variant().relativeDistance() + 1;
    int distances = 2 * most - 1;
    table = new float[s.heads() * distances];
    for (int i = 0; i < distances; i++) {
      int bucket =
          RelativePositions.bucket(
              i - most + 1,
              bothWays,
              s.variant().relativeBuckets(),
              s.variant().relativeDistance());
      for (int h = 0; h < s.heads(); h++) {
        table[h * distances + i] = buckets.get(bucket, h);
      }
    }
  }

  /** The biases of the encoder or decoder; null if the model has no relative positions. */
  static RelativeBiases of(CpuTransformerModel model, boolean encoder) {
    return model.settings.variant().positions() == Positions.RELATIVE
        ? new RelativeBiases(
            model.settings, model.positions(encoder ? "encoder" : "decoder"), encoder)
        : null;
  }

  /**
   * Adds the biases.
   *
   * @param scores of positions 0 to {@code n - 1}
   * @param position of the attending word
   */
  void addTo(float[] scores, int n, int head, int position) {
    int zero = head * (2 * most - 1) + most - 1;
    for (int t = 0; t < n; t++) {
      int distance = Math.max(1 - most, Math.min(most - 1, t - position));
      scores[t] += table[zero + distance];
    }
  }
}
