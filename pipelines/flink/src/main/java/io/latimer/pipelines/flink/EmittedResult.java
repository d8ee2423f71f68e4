package io.latimer.pipelines.flink;

import io.latimer.schemas.Batch;
import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.List;

/**
 * The result of a batch, which learns when Flink's async operator emits it. Until then, the batch
 * is in the operator's state, even if its future is completed: a result may wait behind others.
 * Flink iterates over a result once, when it has taken the batch out of its queue.
 */
final class EmittedResult extends AbstractCollection<Batch> {
  private final Batch batch;
  private final Runnable emitted;

  /**
   * Makes a result.
   *
   * @param emitted called in the task's thread, when the batch is not in the operator's state any
   *     more
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

  /** Without iterating: Flink describes its mails with results. */
  @Override
  public String toString() {
    return "batch of " + batch.getEnvelopes().size() + " records";
  }
}
