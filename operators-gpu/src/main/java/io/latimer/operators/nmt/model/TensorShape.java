package io.latimer.operators.nmt.model;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The shape of a canonical tensor.
 *
 * @param rows 1 for a vector
 * @param cols number of columns
 */
public record TensorShape(int rows, int cols) {

  static TensorShape of(int rows, int cols) {
    return new TensorShape(rows, cols);
  }

  /** A vector: a tensor of one row. */
  static TensorShape vector(int cols) {
    return new TensorShape(1, cols);
  }

  /** The number of weights in tensors of such shapes. */
  public static long count(Collection<TensorShape> shapes) {
    return shapes.stream().mapToLong(shape -> (long) shape.rows * shape.cols).sum();
  }

  @Override
  public String toString() {
    return rows + " x " + cols;
  }

  /**
   * Selects exactly the tensors of these shapes.
   *
   * @return the tensors in the order of the shapes, unmodifiable
   * @throws ModelFormatException if one is missing, unexpected, of another shape, or holds a value
   *     that is not finite
   */
  static Map<String, Tensor> check(Map<String, TensorShape> shapes, Map<String, Tensor> tensors) {
    Map<String, Tensor> checked = new LinkedHashMap<>();
    shapes.forEach(
        (name, shape) -> {
          Tensor tensor = tensors.get(name);
          if (tensor == null) {
            throw new ModelFormatException("tensor " + name + " is missing, expected " + shape);
          }
          if (tensor.rows() != shape.rows || tensor.cols() != shape.cols) {
            throw new ModelFormatException(
                "tensor " + name + ": expected " + shape + ", found " + tensor.shape());
          }
          requireFinite("", tensor);
          checked.put(name, tensor);
        });
    for (String name : tensors.keySet()) {
      if (!shapes.containsKey(name)) {
        throw new ModelFormatException("tensor " + name + " does not belong to this model");
      }
    }
    return Collections.unmodifiableMap(checked);
  }

  /**
   * Checks that all numbers of a tensor are finite, without a copy of the whole.
   *
   * @param origin begins the message
   * @throws ModelFormatException naming the first that is not
   */
  public static void requireFinite(String origin, Tensor tensor) {
    if (!tensor.numbers().areFinite(0, tensor.count())) {
      tensor.forEachPiece(
          (from, values, count) -> requireFinite(origin, tensor, from, values, 0, count));
    }
  }

  /**
   * The same for some of a tensor's numbers.
   *
   * @param from index of the first of them in the tensor
   * @param offset of the first of them in {@code values}
   */
  public static void requireFinite(
      String origin, Tensor tensor, int from, float[] values, int offset, int count) {
    for (int i = 0; i < count; i++) {
      float v = values[offset + i];
      if (!Float.isFinite(v)) {
        throw new ModelFormatException(
            origin
                + "tensor "
                + tensor.name()
                + ": expected finite weights, found "
                + v
                + " in row "
                + ((from + i) / tensor.cols())
                + ", column "
                + ((from + i) % tensor.cols()));
      }
    }
  }
}
