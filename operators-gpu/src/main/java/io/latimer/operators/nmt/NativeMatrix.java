package io.latimer.operators.nmt;

import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * A matrix of weights in native memory, ready to be multiplied with from the right.
 *
 * <p>Several matrices with the same rows are joined side by side, so that one product serves all.
 */
final class NativeMatrix implements AutoCloseable {
  /** Width of what is multiplied. */
  final int inputs;

  /** Width of the product. */
  final int outputs;

  /** Whether the memory holds outputs x inputs. */
  final boolean transposed;

  final FloatPointer data;
  private final FloatBuffer view;

  private NativeMatrix(int inputs, int outputs, boolean transposed) {
    OpenBlas.load();
    this.inputs = inputs;
    this.outputs = outputs;
    this.transposed = transposed;
    this.data = new FloatPointer((long) inputs * outputs);
    this.view = data.asBuffer();
  }

  /** Joins matrices of the same rows, columns side by side. */
  static NativeMatrix join(Tensor... parts) {
    int rows = parts[0].rows();
    int cols = 0;
    for (Tensor part : parts) {
      cols = Math.addExact(cols, part.cols());
    }
    NativeMatrix joined = new NativeMatrix(rows, cols, false);
    int at = 0;
    for (Tensor part : parts) {
      for (int r = 0; r < rows; r++) {
        joined.view.put(r * cols + at, part.data(), r * part.cols(), part.cols());
      }
      at += part.cols();
    }
    return joined;
  }

  /** Takes a matrix that holds one row an output. */
  static NativeMatrix transposed(Tensor tensor) {
    NativeMatrix matrix = new NativeMatrix(tensor.cols(), tensor.rows(), true);
    matrix.view.put(0, tensor.data(), 0, tensor.rows() * tensor.cols());
    return matrix;
  }

  /** Copies the weights of one output (a row of what was transposed: an embedding). */
  void row(int output, float[] to, int offset) {
    view.get(output * inputs, to, offset, inputs);
  }

  @Override
  public void close() {
    data.close();
  }
}
