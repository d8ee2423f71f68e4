package io.latimer.pipelines.flink.batch;

import io.latimer.schemas.Batch;
import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.List;

/**
 * The result of a batch, with a callback for when Flink's async operator emits it. Until then the
 * batch is in the operator's state, even if its future is complete: a result may wait behind
 * others. Flink iterates over a result once, after removing the batch from its queue.
 */
final class EmittedResult extends AbstractCollection<Batch> {
  private final Batch batch;
  private final Runnable emitted;

  /**
   * Makes a result.
   *
   * @param emitted called in the task's thread once the batch has left the operator's state
   */
  EmittedResult(Batch batch, Runnable emitted) {
    this.batch = batch;
    this.emitted = emitted;
  }

  @Override
  public Iterator<Batch> iterator() {
    emitted.run();
    return List.of(batch).iterator();
  }

  @Override
  public int size() {
    return 1;
  }

  /** Does not iterate: Flink's mail descriptions contain results. */
  @Override
  public String toString() {
    return "batch of " + batch.getEnvelopes().size() + " records";
  }
}
