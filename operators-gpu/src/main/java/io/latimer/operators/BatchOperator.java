package io.latimer.operators;

import java.util.List;

/**
 * Processes micro-batches on one device.
 *
 * <p>An operator is used by one thread at a time, unless {@link #inFlight} says more. It does not
 * depend on a stream engine. Every operator has a CPU implementation, which is the oracle of the
 * others, and all implementations of one operator pass the same abstract contract test.
 *
 * @param <I> the input type of a record
 * @param <O> the output type of a record
 */
public interface BatchOperator<I, O> extends AutoCloseable {

  /**
   * Processes a batch.
   *
   * @param batch the records in stream order; may be empty; must hold no nulls
   * @return one result per record of the batch, in the same order: a record that cannot be
   *     processed is a {@link Result.Failure} and does not disturb its neighbours
   * @throws OperatorException when the operator itself can no longer work (a closed operator, a
   *     lost device), or when it notices misuse: more concurrent calls than {@link #inFlight} where
   *     it is not safe for them; no record of the batch has been processed then
   */
  List<Result<O>> apply(List<I> batch);

  /**
   * The number of concurrent calls of {@link #apply} that keep the operator busy, each from a
   * thread of its own: more than one where a device works on one batch while the host prepares
   * another.
   */
  default int inFlight() {
    return 1;
  }

  /**
   * Tells the operator that a call of {@link #apply} hangs and is abandoned: what hangs must not be
   * shared with operators that are opened later. The operator is closed if the call ends after all.
   * Safe during calls; does not wait for them.
   */
  default void abandon() {}

  /**
   * Releases the operator's resources. Closing twice is safe; closing during a call of {@link
   * #apply} is not, unless the operator says that it waits.
   */
  @Override
  void close();
}
