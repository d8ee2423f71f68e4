package io.latimer.operators.nmt.cpu;

import io.latimer.operators.util.Team;
import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Multiplies activations on the heap with weights in native memory. Each row of the result depends
 * only on its own row of the input, to the last bit; see {@link Rows}.
 *
 * <p>Activations are on the heap because HotSpot vectorizes only loops over arrays; they are copied
 * through two native buffers. Not thread-safe.
 */
final class Product implements AutoCloseable {
  /** Values per native buffer: 16 MiB, about the size of a level-3 cache. */
  private static final int CAPACITY = 1 << 22;

  /** Minimum number of multiplications of a product that is worth sharing. */
  private static final long WORTH_SHARING = 100_000;

  /** Outputs transposed per step: with all rows of a call they fit the first-level cache. */
  private static final int STRIP = 64;

  private final FloatPointer in;
  private final FloatPointer out;
  private final FloatPointer oneRow;
  private final FloatBuffer inView;
  private final FloatBuffer outView;
  private final int capacity;
  private final int widest;
  private Int8Product int8;
  private Team team;
  private long nanos;

  /**
   * Makes the buffers.
   *
   * @param widest maximum number of inputs or outputs of the matrices to come
   */
  Product(int widest) {
    OpenBlas.load();
    this.widest = widest;
    capacity = Math.max(CAPACITY, Math.multiplyExact(widest, Rows.TILE));
    in = new FloatPointer(capacity);
    out = new FloatPointer(capacity);
    oneRow = in.getPointer(0);
    inView = in.asBuffer();
    outView = out.asBuffer();
  }

  /** Shares each subsequent product among a team; null for none. */
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
   * @param from first row of x
   * @param rows number of rows; with their padding they must fit the buffers
   * @param to first row of y
   */
  void multiply(float[] x, int from, int rows, NativeMatrix w, float[] y, int to) {
    long start = System.nanoTime();
    if (w.int8 != null) {
      if (int8 == null) {
        int8 = new Int8Product(widest);
      }
      int8.multiply(x, from, rows, w, y, to);
    } else {
      float32(x, from, rows, w, y, to);
    }
    nanos += System.nanoTime() - start;
  }

  private void float32(float[] x, int from, int rows, NativeMatrix w, float[] y, int to) {
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
  }

  private void block(int block, int rows, int most, NativeMatrix w, float[] y, int to) {
    int first = w.firstOutput(block);
    int n = w.firstOutput(block + 1) - first;
    FloatPointer weights = first == 0 ? w.data : w.data.getPointer((long) first * w.inputs);
    FloatPointer result = first == 0 ? out : out.getPointer((long) first * most);
    float[] turned = new float[Math.min(STRIP, n) * Rows.padded(Math.min(most, rows))];
    for (int row = 0; row < rows; row += most) {
      int real = Math.min(most, rows - row);
      int padded = Rows.padded(real);
      FloatPointer a = row == 0 ? in : in.getPointer((long) row * w.inputs);
      OpenBlas.multiply(padded, n, w.inputs, a, weights, result);
      int at = (to + row) * w.outputs + first;
      for (int strip = 0; strip < n; strip += STRIP) {
        int width = Math.min(STRIP, n - strip);
        outView.get(first * most + strip * padded, turned, 0, width * padded);
        for (int r = 0; r < real; r++) {
          turn(turned, r, padded, width, y, at + r * w.outputs + strip);
        }
      }
    }
  }

  /** Copies one row of the result, whose values are a stride apart. */
  private static void turn(float[] x, int from, int stride, int n, float[] y, int at) {
    for (int i = 0; i < n; i++) {
      y[at + i] = x[from + i * stride];
    }
  }

  /**
   * The product of one row of the last call with the weights of one output; depends on these alone.
   *
   * @param row relative to the first row of that call
   * @param weights as many as there are inputs
   */
  float dot(int row, FloatPointer weights, int inputs) {
    return OpenBlas.dot(inputs, oneRow.position((long) row * inputs), weights);
  }

  /** Time spent in products so far, including copies. */
  long nanos() {
    return nanos;
  }

  @Override
  public void close() {
    in.close();
    out.close();
    if (int8 != null) {
      int8.close();
    }
  }
}
