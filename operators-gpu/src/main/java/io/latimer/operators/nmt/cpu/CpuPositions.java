package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.SinusoidalPositions;
import io.latimer.operators.nmt.model.TransformerSettings;

/** The vectors that a transformer adds to its embeddings; grows as longer sentences come. */
final class CpuPositions {
  private static final int LEAST = 64;

  private final TransformerSettings settings;
  private float[] source;
  private float[] target;

  CpuPositions(CpuTransformerModel model) {
    settings = model.settings;
    source = model.sourcePositions;
    target = model.targetPositions;
  }

  /** A table, rows x D, that has a row for this position of a source; empty if there are none. */
  float[] source(int position) {
    grow(position);
    return source;
  }

  /** The same for positions of a target. */
  float[] target(int position) {
    grow(position);
    return target;
  }

  private void grow(int position) {
    int d = settings.width();
    if (settings.variant().positions() == Positions.SINUSOIDAL
        && (long) source.length < (position + 1L) * d) {
      int first = settings.variant().firstPosition();
      source = SinusoidalPositions.table(first, first + Math.max(2 * position, LEAST), d);
      target = source;
    }
  }
}
