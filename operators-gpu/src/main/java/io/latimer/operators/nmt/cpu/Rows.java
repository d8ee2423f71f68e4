package io.latimer.operators.nmt.cpu;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.javacpp.FloatPointer;

/**
 * The number of rows that a call of OpenBLAS may take, so that a row's result never depends on its
 * neighbours.
 *
 * <p>The order in which kernels add products depends on the number of rows and a row's position
 * (Haswell's treat six rows one way and the next six another). The differences are only roundings,
 * but would make a sentence's score depend on its batch. Rows are therefore grouped in tiles of
 * {@link #TILE}, within which all kernels tried so far treat all rows alike. Whether several tiles
 * may share a call is tested on the actual machine for each shape: kernels for 512-bit vectors
 * allow it.
 */
public final class Rows {
  /** Rows are padded to a multiple of this. */
  static final int TILE = 16;

  private static final int MOST = 128;

  private record Shape(int inputs, int outputs) {}

  private static final Map<Shape, Integer> PER_CALL = new ConcurrentHashMap<>();

  private Rows() {}

  /** The number of rows with padding. */
  static int padded(int rows) {
    return (rows + TILE - 1) / TILE * TILE;
  }

  /** The maximum number of rows per call with a matrix of this shape, a multiple of the tile. */
  static int perCall(int inputs, int outputs) {
    return PER_CALL.computeIfAbsent(new Shape(inputs, outputs), Rows::probe);
  }

  private static int probe(Shape s) {
    Random random = new Random(16);
    try (FloatPointer a = random(random, MOST * s.inputs);
        FloatPointer w = random(random, s.outputs * s.inputs);
        FloatPointer c = new FloatPointer((long) MOST * s.outputs)) {
      float[] expected = new float[MOST * s.outputs];
      for (int from = 0; from < MOST; from += TILE) {
        compute(s, a, from, TILE, w, c, expected);
      }
      float[] found = new float[MOST * s.outputs];
      for (int rows = 2 * TILE; rows <= MOST; rows += TILE) {
        compute(s, a, 0, rows, w, c, found);
        for (int i = 0; i < rows * s.outputs; i++) {
          if (found[i] != expected[i]) {
            return TILE;
          }
        }
      }
      return MOST;
    }
  }

  private static FloatPointer random(Random random, int n) {
    float[] values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] = random.nextFloat() - 0.5f;
    }
    return new FloatPointer(values);
  }

  /** Computes rows and stores them in row order. */
  private static void compute(
      Shape s, FloatPointer a, int from, int rows, FloatPointer w, FloatPointer c, float[] to) {
    OpenBlas.multiply(rows, s.outputs, s.inputs, a.getPointer((long) from * s.inputs), w, c);
    float[] result = new float[rows * s.outputs];
    c.get(result);
    for (int o = 0; o < s.outputs; o++) {
      for (int r = 0; r < rows; r++) {
        to[(from + r) * s.outputs + o] = result[o * rows + r];
      }
    }
  }
}
