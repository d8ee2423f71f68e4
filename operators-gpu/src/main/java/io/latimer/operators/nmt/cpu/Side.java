package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.TransformerSettings;

/**
 * Biases and layer normalization of a product, in place: {@code v + bias}, or {@code LN(v + bias) *
 * gain + shift}; see {@link RnnSettings} and {@link TransformerSettings}.
 */
final class Side {
  private final float[] bias;
  private final float[] gain;
  private final float[] shift;

  /** The ends of the groups that are normalized together. */
  private final int[] ends;

  private final double epsilon;
  private final boolean biased;

  private Side(float[] bias, float[] gain, float[] shift, int[] ends, double epsilon) {
    this.bias = bias;
    this.gain = gain;
    this.shift = shift;
    this.ends = ends;
    this.epsilon = epsilon;
    boolean any = false;
    for (float b : bias) {
      any |= b != 0;
    }
    this.biased = any;
  }

  /** The side of a layer, normalized as a whole. */
  static Side ofLayer(Network model, String prefix) {
    return of(model, prefix, new int[] {model.tensor(prefix + ".bias").cols()});
  }

  /** The side of a cell, whose gates and candidate may be normalized separately. */
  static Side ofCell(Network model, String prefix) {
    int width = model.tensor(prefix + ".bias").cols();
    boolean apart =
        model.settings(RnnSettings.class).normalization() == LayerNormalization.SEPARATE;
    int gates = width - model.settings(RnnSettings.class).state();
    return of(model, prefix, apart ? new int[] {gates, width} : new int[] {width});
  }

  /** A side that only adds a bias. */
  static Side bias(float[] bias) {
    return new Side(bias, null, null, new int[] {bias.length}, 0);
  }

  /**
   * A side that normalizes the sum with a bias.
   *
   * @param shift null to divide by the root mean square only
   */
  static Side norm(float[] bias, float[] gain, float[] shift, double epsilon) {
    return new Side(bias, gain, shift, new int[] {bias.length}, epsilon);
  }

  private static Side of(Network model, String prefix, int[] ends) {
    boolean normalizes = model.settings(RnnSettings.class).normalizes();
    return new Side(
        model.vector(prefix + ".bias"),
        normalizes ? model.vector(prefix + ".gain") : null,
        normalizes ? model.vector(prefix + ".shift") : null,
        ends,
        model.settings(RnnSettings.class).normalization().epsilon());
  }

  /** Applies the side to one row. */
  void apply(float[] v, int at) {
    if (biased) {
      Vectors.addTo(v, at, bias, bias.length);
    }
    if (gain == null) {
      return;
    }
    int from = 0;
    for (int end : ends) {
      normalize(v, at + from, end - from, from);
      from = end;
    }
  }

  /** Applies the side to a slice of every row. */
  void applyAll(float[] v, int rows, int stride, int at) {
    for (int r = 0; r < rows; r++) {
      apply(v, r * stride + at);
    }
  }

  private void normalize(float[] v, int at, int n, int from) {
    if (shift == null) {
      float scale = (float) (1 / Math.sqrt(Vectors.sumOfSquares(v, at, n) / (double) n + epsilon));
      for (int i = 0; i < n; i++) {
        v[at + i] = v[at + i] * scale * gain[from + i];
      }
      return;
    }
    float mean = Vectors.sum(v, at, n) / n;
    for (int i = 0; i < n; i++) {
      v[at + i] -= mean;
    }
    float variance = Vectors.sumOfSquares(v, at, n) / n;
    float scale = (float) (1 / Math.sqrt(variance + epsilon));
    for (int i = 0; i < n; i++) {
      v[at + i] = Math.fma(v[at + i] * scale, gain[from + i], shift[from + i]);
    }
  }
}
