package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Tensor;
import java.util.Optional;
import java.util.Set;

/** Named tensors of a model file, whatever its container. */
public interface WeightSource {

  /** Names the file in messages. */
  String origin();

  /** Returns the names of all tensors, including those that are no weights. */
  Set<String> names();

  /**
   * Reads a tensor, widened or narrowed to float32.
   *
   * @throws io.latimer.operators.OperatorException if it is absent or unreadable
   */
  Tensor floats(String name);

  /** Reads an entry that holds UTF-8 text ({@code special:model.yml}), or nothing if absent. */
  Optional<String> text(String name);
}
