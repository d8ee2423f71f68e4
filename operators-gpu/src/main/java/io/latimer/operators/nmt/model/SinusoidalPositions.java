package io.latimer.operators.nmt.model;

/** The position encodings of a transformer; {@link TransformerSettings} gives their equation. */
public final class SinusoidalPositions {
  private SinusoidalPositions() {}

  /**
   * Computes the encodings to add to the embeddings of a range of positions.
   *
   * @param from the first position, 0-based
   * @param to the position after the last
   * @param width D
   * @return (to - from) x D, row major
   */
  public static float[] table(int from, int to, int width) {
    float[] rows = new float[Math.multiplyExact(to - from, width)];
    int half = width / 2;
    for (int i = 0; i < half; i++) {
      double frequency = Math.pow(10000, -(double) i / (half - 1));
      for (int t = from; t < to; t++) {
        int row = (t - from) * width;
        rows[row + i] = (float) Math.sin(t * frequency);
        rows[row + half + i] = (float) Math.cos(t * frequency);
      }
    }
    return rows;
  }
}
