package io.latimer.operators.nmt.model;

import java.nio.FloatBuffer;
import java.util.Objects;

/**
 * A named matrix of 32-bit floats.
 *
 * @param name the tensor's name in its file
 * @param rows number of rows, 0 or more; a vector of n numbers has one row and n columns, a scalar
 *     one row and one column
 * @param cols number of columns, 0 or more
 * @param data the numbers, row major, {@code rows * cols} of them between position 0 and limit;
 *     readers must not move its position and limit: they duplicate it or index absolutely
 */
public record Tensor(String name, int rows, int cols, FloatBuffer data) {
  public Tensor {
    Objects.requireNonNull(name, "name");
    if (rows < 0 || cols < 0 || data.position() != 0 || data.limit() != (long) rows * cols) {
      throw new IllegalArgumentException(
          "tensor "
              + name
              + " of "
              + rows
              + " x "
              + cols
              + " needs that many numbers from position 0, found "
              + data);
    }
  }

  /** Makes a tensor over an array, which is not copied. */
  public static Tensor of(String name, int rows, int cols, float[] data) {
    return new Tensor(name, rows, cols, FloatBuffer.wrap(data));
  }

  /** The number at a 0-based row and column. */
  public float get(int row, int col) {
    Objects.checkIndex(row, rows);
    return data.get(row * cols + Objects.checkIndex(col, cols));
  }

  /** The shape for messages, such as {@code 512 x 1024}. */
  public String shape() {
    return rows + " x " + cols;
  }
}
