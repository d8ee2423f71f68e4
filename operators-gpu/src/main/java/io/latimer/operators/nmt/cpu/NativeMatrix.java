package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Tensor;
import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * A matrix of weights in native memory, laid out for multiplication from the right.
 *
 * <p>Matrices with the same inputs are joined side by side, so that one product serves all. Memory
 * is ordered by output, which makes OpenBLAS nearly twice as fast for few rows. Outputs are split
 * into blocks, each of which is always a separate product.
 */
final class NativeMatrix implements AutoCloseable {
  /** Outputs per block: a multiple of the kernels' widths. */
  private static final int BLOCK = 768;

  /** Inputs that are transposed together, so that they stay in the cache. */
  private static final int TILE = 32;

  /** Marks a padding output: its weights are zeros. */
  static final int NOTHING = -1;

  /** The number of inputs. */
  final int inputs;

  /** The number of outputs. */
  final int outputs;

  /** The maximum number of rows per call of OpenBLAS; see {@link Rows}. */
  final int rowsPerCall;

  final FloatPointer data;

  /** The same weights in 8 bits, with which products are computed; null for products in 32 bits. */
  Int8Matrix int8;

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

  /** Joins matrices of inputs x outputs along their outputs. */
  static NativeMatrix join(Tensor... parts) {
    int rows = parts[0].rows();
    int cols = 0;
    for (Tensor part : parts) {
      cols = Math.addExact(cols, part.cols());
    }
    NativeMatrix joined = new NativeMatrix(rows, cols);
    int at = 0;
    for (Tensor part : parts) {
      joined.transpose(part, at);
      at += part.cols();
    }
    return joined;
  }

  /** Writes a matrix of inputs x outputs to the outputs from {@code at} on. */
  private void transpose(Tensor part, int at) {
    int cols = part.cols();
    float[] tile = new float[Math.min(TILE, inputs) * cols];
    float[] weights = new float[TILE];
    for (int r0 = 0; r0 < inputs; r0 += TILE) {
      int n = Math.min(TILE, inputs - r0);
      part.numbers().read(r0 * cols, tile, 0, n * cols);
      for (int c = 0; c < cols; c++) {
        for (int r = 0; r < n; r++) {
          weights[r] = tile[r * cols + c];
        }
        view.put((at + c) * inputs + r0, weights, 0, n);
      }
    }
  }

  /** Makes a matrix from outputs x inputs. */
  static NativeMatrix transposed(Tensor tensor) {
    NativeMatrix matrix = new NativeMatrix(tensor.cols(), tensor.rows());
    tensor.read(0, matrix.view.duplicate());
    return matrix;
  }

  /**
   * Copies selected outputs into a new matrix.
   *
   * @param chosen outputs of this matrix, or {@link #NOTHING}
   * @param width outputs per block
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

  /**
   * Makes all subsequent products use weights of 8 bits.
   *
   * @param onlyProducts whether nothing else reads the weights, whose memory is then released
   */
  void round(boolean onlyProducts) {
    int8 = new Int8Matrix(inputs, outputs, view);
    if (onlyProducts) {
      data.close();
    }
  }

  /** The number of blocks of outputs. */
  int blocks() {
    return (outputs + block - 1) / block;
  }

  /** The first output of a block. */
  int firstOutput(int number) {
    return Math.min(outputs, number * block);
  }

  /** Copies the weights of one output (a row of the transposed matrix: an embedding). */
  void row(int output, float[] to, int offset) {
    view.get(output * inputs, to, offset, inputs);
  }

  @Override
  public void close() {
    data.close();
    if (int8 != null) {
      int8.close();
    }
  }
}
