package io.latimer.operators.nmt.model;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A network whose canonical tensors are made one at a time, on demand, so that a large model never
 * lies in memory as a whole.
 */
public interface TensorSource {
  /** The network's shape and kind. */
  NetworkSettings settings();

  /**
   * Makes a tensor.
   *
   * @param name one of {@link NetworkSettings#shapes()}
   * @return the tensor, of the shape that the settings give; reading its numbers may read a file,
   *     and throws {@link ModelFormatException} if that fails or a value is not finite
   * @throws ModelFormatException if it cannot be read
   */
  Tensor tensor(String name);

  /** Reads all tensors into memory. */
  default Network network() {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    settings()
        .shapes()
        .forEach(
            (name, shape) ->
                tensors.put(
                    name, Tensor.of(name, shape.rows(), shape.cols(), tensor(name).floats())));
    return Network.of(settings(), tensors);
  }
}
