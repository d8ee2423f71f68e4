package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Tensor;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Weights whose shapes are known before they are read. */
public interface ShapedWeights extends WeightSource, AutoCloseable {
  /**
   * The dimensions of a tensor, the outermost first; empty for a scalar.
   *
   * @throws io.latimer.operators.OperatorException if there is no such tensor
   */
  long[] shape(String name);

  /** Whether two tensors have the same shape and numbers. */
  default boolean isEqual(String one, String other) {
    if (!Arrays.equals(shape(one), shape(other))) {
      return false;
    }
    Tensor second = floats(other);
    boolean[] equal = {true};
    floats(one)
        .forEachPiece(
            (from, values, count) -> {
              float[] others = new float[count];
              second.numbers().read(from, others, 0, count);
              for (int i = 0; equal[0] && i < count; i++) {
                equal[0] = values[i] == others[i];
              }
            });
    return equal[0];
  }

  @Override
  void close();

  /** A shape for messages, such as {@code 512 x 1024}. */
  static String text(long[] shape) {
    return shape.length == 0
        ? "a scalar"
        : Arrays.stream(shape).mapToObj(Long::toString).collect(Collectors.joining(" x "));
  }
}
