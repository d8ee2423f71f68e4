package io.latimer.operators.nmt.cpu;

import io.latimer.operators.util.Team;
import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Multiplies activations on the heap with weights in native memory. The result of a row depends on
 * that row alone, to the last bit; see {@link Rows}.
 *
 * <p>Activations live on the heap because HotSpot makes vector instructions for arrays only; they
 * are copied through two native buffers. Used by one thread at a time.
 */
final class Product implements AutoCloseable {
  /** Values of one native buffer: 16 MiB, about what a level-3 cache holds. */
  private static final int CAPACITY = 1 << 22;

  /** Below this a product is not worth sharing, in multiplications. */
  private static final long WORTH_SHARING = 100_000;

  /** Outputs turned at a time: with all rows of a call they fit the first-level cache. */
  private static final int STRIP = 64;

  private final FloatPointer in;
  private final FloatPointer out;
  private final FloatPointer oneRow;
  private final FloatBuffer inView;
  private final FloatBuffer outView;
  private final int capacity;
  private Team team;
  private long nanos;

  /**
   * Makes the buffers.
   *
   * @param widest the largest number of inputs or outputs of a matrix to come
   */
  Product(int widest) {
    OpenBlas.load();
    capacity = Math.max(CAPACITY, Math.multiplyExact(widest, Rows.TILE));
    in = new FloatPointer(capacity);
    out = new FloatPointer(capacity);
    oneRow = in.getPointer(0);
    inView = in.asBuffer();
    outView = out.asBuffer();
  }

  /** Lets a team share each product from now on, or none if null. */
  void shareWith(Team helpers) {
    team = helpers;
  }

  /** Computes {@code y = x·w} for the first rows of x, without gaps between rows. */
  void multiply(float[] x, int rows, NativeMatrix w, float[] y) {
    int most = capacity / w.inputs / Rows.TILE * Rows.TILE;
    for (int from = 0; from < rows; from += most) {
      multiply(x, from, Math.min(most, rows - from), w, y, from);
    }
  }

  /**
   * Computes some rows of {@code x·w}.
   *
   * @param from the first row of x
   * @param rows how many; with their padding they must fit the buffers
   * @param to the first row of y
   */
  void multiply(float[] x, int from, int rows, NativeMatrix w, float[] y, int to) {
    long start = System.nanoTime();
    inView.put(0, x, from * w.inputs, rows * w.inputs);
    int most = Math.min(w.rowsPerCall, capacity / w.outputs / Rows.TILE * Rows.TILE);
    long work = (long) rows * w.inputs * w.outputs;
    if (team == null || work < WORTH_SHARING) {
      for (int block = 0; block < w.blocks(); block++) {
        block(block, rows, most, w, y, to);
      }
    } else {
      team.run(w.blocks(), block -> block(block, rows, most, w, y, to));
    }
    nanos += System.nanoTime() - start;
  }

  private void block(int block, int rows, int most, NativeMatrix w, float[] y, int to) {
    int first = w.firstOutput(block);
    int n = w.firstOutput(block + 1) - first;
    FloatPointer weights = first == 0 ? w.data : w.data.getPointer((long) first * w.inputs);
    FloatPointer result = first == 0 ? out : out.getPointer((long) first * most);
    for (int row = 0; row < rows; row += most) {
      int real = Math.min(most, rows - row);
      int padded = Rows.padded(real);
      FloatPointer a = row == 0 ? in : in.getPointer((long) row * w.inputs);
      OpenBlas.multiply(padded, n, w.inputs, a, weights, result);
      int at = (to + row) * w.outputs + first;
      for (int strip = 0; strip < n; strip += STRIP) {
        int end = Math.min(n, strip + STRIP);
        for (int r = 0; r < real; r++) {
          turn(first * most + r, padded, strip, end, y, at + r * w.outputs);
        }
      }
    }
  }

  /** Copies one row of the result, whose values lie a row's width apart. */
  private void turn(int from, int width, int start, int end, float[] y, int at) {
    for (int o = start; o < end; o++) {
      y[at + o] = outView.get(from + o * width);
    }
  }

  /**
   * The product of one row of those multiplied last with the weights of one output, which depends
   * on these alone.
   *
   * @param row counted from the first of that call
   * @param weights points at as many as there are inputs
   */
  float dot(int row, FloatPointer weights, int inputs) {
    return OpenBlas.dot(inputs, oneRow.position((long) row * inputs), weights);
  }

  /** Time spent in products so far, copying included. */
  long nanos() {
    return nanos;
  }

  @Override
  public void close() {
    in.close();
    out.close();
  }
}
