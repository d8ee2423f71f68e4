package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Tensor;
import java.util.Optional;
import java.util.Set;

/** Named tensors of a model file, independent of its container. */
public interface WeightSource {

  /** Names the file in messages. */
  String origin();

  /** The names of all tensors, including entries that are not weights. */
  Set<String> names();

  /**
   * A tensor, widened or narrowed to float32. It may read its numbers from the file, which must
   * then be open.
   *
   * @throws io.latimer.operators.OperatorException if it is absent or unreadable
   */
  Tensor floats(String name);

  /** Reads a UTF-8 text entry ({@code special:model.yml}); empty if absent. */
  Optional<String> text(String name);
}
