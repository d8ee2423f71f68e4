package io.latimer.operators.nmt;

import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Multiplies activations on the heap with weights in native memory.
 *
 * <p>Activations live on the heap because HotSpot makes vector instructions for arrays only; they
 * are copied through two native buffers, which costs a few percent of a product. Used by one thread
 * at a time.
 */
final class Product implements AutoCloseable {
  /** Values of one native buffer: 16 MiB, about what a level-3 cache holds. */
  private static final int CAPACITY = 1 << 22;

  private final FloatPointer in;
  private final FloatPointer out;
  private final FloatBuffer inView;
  private final FloatBuffer outView;
  private long nanos;

  /**
   * Makes the buffers.
   *
   * @param widest the largest number of inputs or outputs of a matrix to come
   */
  Product(int widest) {
    OpenBlas.load();
    int capacity = Math.max(CAPACITY, widest);
    in = new FloatPointer(capacity);
    out = new FloatPointer(capacity);
    inView = in.asBuffer();
    outView = out.asBuffer();
  }

  /** How many rows fit the buffers at once. */
  int rowsAtOnce(NativeMatrix w) {
    return Math.max(1, CAPACITY / Math.max(w.inputs, w.outputs));
  }

  /** Computes {@code y = x·w} for the first rows of x, without gaps between rows. */
  void multiply(float[] x, int rows, NativeMatrix w, float[] y) {
    int most = rowsAtOnce(w);
    for (int from = 0; from < rows; from += most) {
      int n = Math.min(most, rows - from);
      FloatBuffer result = multiply(x, from, n, w);
      result.get(0, y, from * w.outputs, n * w.outputs);
    }
  }

  /**
   * Computes some rows of {@code x·w}.
   *
   * @param rows at most {@link #rowsAtOnce}
   * @return the result from index 0 on, valid until the next product
   */
  FloatBuffer multiply(float[] x, int from, int rows, NativeMatrix w) {
    long start = System.nanoTime();
    inView.put(0, x, from * w.inputs, rows * w.inputs);
    OpenBlas.multiply(rows, w.outputs, w.inputs, in, w.data, w.transposed, out);
    nanos += System.nanoTime() - start;
    return outView;
  }

  /** Time spent in products so far, copying in included. */
  long nanos() {
    return nanos;
  }

  @Override
  public void close() {
    in.close();
    out.close();
  }
}
