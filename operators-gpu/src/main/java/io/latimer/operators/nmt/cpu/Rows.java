package io.latimer.operators.nmt.cpu;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.javacpp.FloatPointer;

/**
 * How many rows a call of OpenBLAS may take, so that a row's result never depends on the rows
 * beside it.
 *
 * <p>Kernels add products in an order that depends on how many rows there are and where a row
 * stands among them (those for Haswell: six one way, the next six another). The differences are
 * those of rounding, but they would make a sentence's score depend on its batch. Rows therefore
 * come in tiles of {@link #TILE}, within which all kernels that were tried treat all rows alike.
 * Whether several tiles may share a call is found out on the machine that it runs on, for each
 * shape: with the kernels for 512-bit vectors they may.
 */
public final class Rows {
  /** Rows are padded to a multiple of it. */
  static final int TILE = 16;

  private static final int MOST = 128;

  private record Shape(int inputs, int outputs) {}

  private static final Map<Shape, Integer> PER_CALL = new ConcurrentHashMap<>();

  private Rows() {}

  /** Rows with the padding. */
  static int padded(int rows) {
    return (rows + TILE - 1) / TILE * TILE;
  }

  /** The most rows of a call with a matrix of this shape, a multiple of the tile. */
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

  /** Computes some rows and puts them row by row where they belong. */
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
