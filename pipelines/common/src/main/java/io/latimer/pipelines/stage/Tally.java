package io.latimer.pipelines.stage;

import io.latimer.operators.Result;
import io.latimer.schemas.Envelope;
import java.util.List;

/** Counts records on a device. Used by one thread. */
public interface Tally extends AutoCloseable {

  /**
   * Counts records.
   *
   * @param batch records without failures, which are not changed
   * @return one result for each, in order: how much was counted of it, or why it was not counted
   * @throws io.latimer.operators.OperatorException if it can no longer count
   */
  List<Result<Long>> add(List<Envelope> batch);

  /** Everything that was counted since the last call of this method; begins anew. */
  byte[] take();

  /** Gives back what it holds. Safe to call twice. */
  @Override
  void close();
}
