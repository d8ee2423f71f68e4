package io.latimer.operators.nmt.cpu;

import java.util.HashMap;
import java.util.Map;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Multiplies rows with weights in 8 bits. Each row is rounded with a scale of its own, sums are
 * exact, and so a row's result depends on that row alone, on any processor. Not thread-safe.
 */
final class Int8Product implements AutoCloseable {
  private final BytePointer in;
  private final FloatPointer out;
  private final Int8Rounding rounding;
  private final byte[] rounded;
  private final float[] scale = new float[Int8Matrix.MOST_ROWS];
  private final Map<Int8Matrix, Int8Matrix.Call[]> calls = new HashMap<>();
  private Thread prepared;

  /**
   * Makes the buffers.
   *
   * @param widest maximum number of inputs or outputs of the matrices to come
   */
  Int8Product(int widest) {
    int capacity = Math.multiplyExact(widest, Int8Matrix.MOST_ROWS);
    in = new BytePointer(capacity);
    out = new FloatPointer(capacity);
    rounding = new Int8Rounding(widest);
    rounded = new byte[capacity];
  }

  /**
   * Computes some rows of {@code x·w}.
   *
   * @param from first row of x
   * @param to first row of y
   */
  void multiply(float[] x, int from, int rows, NativeMatrix w, float[] y, int to) {
    if (prepared != Thread.currentThread()) {
      OneDnn.useOneThread();
      prepared = Thread.currentThread();
    }
    Int8Matrix.Call[] kernels =
        calls.computeIfAbsent(w.int8, m -> new Int8Matrix.Call[Int8Matrix.KERNELS]);
    for (int row = 0; row < rows; ) {
      int kernel = Int8Matrix.kernel(rows - row);
      int n = Math.min(rows - row, Int8Matrix.rows(kernel));
      if (kernels[kernel] == null) {
        kernels[kernel] = w.int8.new Call(kernel, in, out);
      }
      for (int i = 0; i < n; i++) {
        int at = (from + row + i) * w.inputs;
        scale[i] = rounding.round(x, at, w.inputs, rounded, i * w.inputs);
      }
      in.put(rounded, 0, n * w.inputs);
      kernels[kernel].run();
      out.get(y, (to + row) * w.outputs, n * w.outputs);
      for (int i = 0; i < n; i++) {
        Vectors.scale(y, (to + row + i) * w.outputs, scale[i], w.outputs);
      }
      row += n;
    }
  }

  @Override
  public void close() {
    for (Int8Matrix.Call[] kernels : calls.values()) {
      for (Int8Matrix.Call call : kernels) {
        if (call != null) {
          call.close();
        }
      }
    }
    in.close();
    out.close();
  }
}
