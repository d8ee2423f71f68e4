package io.latimer.pipelines.stage;

import io.latimer.operators.Result;
import io.latimer.schemas.Envelope;
import java.util.List;

/** Counts records on a device. Not thread-safe. */
public interface Accumulator extends AutoCloseable {

  /**
   * Counts records.
   *
   * @param batch records without failures, which are not changed
   * @return one result per record, in order: the number of items counted, or why it was not counted
   * @throws io.latimer.operators.OperatorException if it can no longer count
   */
  List<Result<Long>> add(List<Envelope> batch);

  /** Returns everything counted since the last call and resets the counts. */
  byte[] take();

  /** Releases its resources. Safe to call twice. */
  @Override
  void close();
}
