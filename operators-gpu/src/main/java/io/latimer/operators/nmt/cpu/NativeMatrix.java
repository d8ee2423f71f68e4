package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Tensor;
import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * A matrix of weights in native memory, ready to be multiplied with from the right.
 *
 * <p>Several matrices with the same inputs are joined side by side, so that one product serves all.
 * The memory holds one output after the other: with few rows to multiply OpenBLAS is nearly twice
 * as fast so. Outputs are cut into blocks, each of which is always a product of its own.
 */
final class NativeMatrix implements AutoCloseable {
  /** Outputs of a block: a multiple of the widths that kernels work on. */
  private static final int BLOCK = 768;

  /** Stands for an output that is none: its weights are zeros. */
  static final int NOTHING = -1;

  /** Width of what is multiplied. */
  final int inputs;

  /** Width of the product. */
  final int outputs;

  /** How many rows one call of OpenBLAS may take; see {@link Rows}. */
  final int rowsPerCall;

  final FloatPointer data;
  private final FloatBuffer view;
  private final int block;

  private NativeMatrix(int inputs, int outputs) {
    this(inputs, outputs, BLOCK);
  }

  private NativeMatrix(int inputs, int outputs, int block) {
    OpenBlas.load();
    this.block = block;
    this.inputs = inputs;
    this.outputs = outputs;
    this.data = new FloatPointer((long) inputs * outputs);
    this.view = data.asBuffer();
    int last = outputs - firstOutput(blocks() - 1);
    this.rowsPerCall =
        Math.min(Rows.perCall(inputs, Math.min(block, outputs)), Rows.perCall(inputs, last));
  }

  /** Joins matrices of inputs x outputs, outputs side by side. */
  static NativeMatrix join(Tensor... parts) {
    int rows = parts[0].rows();
    int cols = 0;
    for (Tensor part : parts) {
      cols = Math.addExact(cols, part.cols());
    }
    NativeMatrix joined = new NativeMatrix(rows, cols);
    float[] output = new float[rows];
    int at = 0;
    for (Tensor part : parts) {
      float[] values = new float[part.rows() * part.cols()];
      part.data().get(0, values);
      for (int c = 0; c < part.cols(); c++) {
        for (int r = 0; r < rows; r++) {
          output[r] = values[r * part.cols() + c];
        }
        joined.view.put((at + c) * rows, output, 0, rows);
      }
      at += part.cols();
    }
    return joined;
  }

  /** Takes a matrix of outputs x inputs. */
  static NativeMatrix transposed(Tensor tensor) {
    NativeMatrix matrix = new NativeMatrix(tensor.cols(), tensor.rows());
    matrix.view.put(0, tensor.data(), 0, tensor.rows() * tensor.cols());
    return matrix;
  }

  /**
   * Copies some outputs into a matrix of their own.
   *
   * @param chosen outputs of this one, or {@link #NOTHING}
   * @param width outputs of a block
   */
  NativeMatrix gather(int[] chosen, int width) {
    NativeMatrix matrix = new NativeMatrix(inputs, chosen.length, width);
    float[] weights = new float[inputs];
    float[] zeros = new float[inputs];
    for (int i = 0; i < chosen.length; i++) {
      if (chosen[i] != NOTHING) {
        row(chosen[i], weights, 0);
      }
      matrix.view.put(i * inputs, chosen[i] == NOTHING ? zeros : weights, 0, inputs);
    }
    return matrix;
  }

  /** How many blocks the outputs are cut into. */
  int blocks() {
    return (outputs + block - 1) / block;
  }

  /** The first output of a block. */
  int firstOutput(int number) {
    return Math.min(outputs, number * block);
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
