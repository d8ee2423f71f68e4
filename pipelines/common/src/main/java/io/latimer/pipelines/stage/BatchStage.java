package io.latimer.pipelines.stage;

import io.latimer.operators.index.IndexRef;
import io.latimer.schemas.Envelope;
import java.util.List;

/** A stage that processes batches of records and passes them on. */
public non-sealed interface BatchStage extends Stage {

  /**
   * The indexes that it loads; a job's state contains these references.
   *
   * @return empty if it needs none
   */
  List<IndexRef> indexRefs();

  /**
   * Whether the job file gives the SHA-256 of its indexes, and so allows content that differs from
   * the one in the job's state.
   */
  boolean pinned();

  /**
   * How many batches keep it busy, each in a thread of its own; asked once it is open. More than
   * one where a device works on one batch while the host prepares another. A job's {@code
   * batch.in-flight} bounds how many there are.
   *
   * @return 1 or more
   */
  default int inFlight() {
    return 1;
  }

  /**
   * Processes a batch. It does not change the records but returns new ones, because an engine may
   * be writing the batch to a checkpoint.
   *
   * @param batch the records in stream order; those with a failure pass through
   * @param queueNanos how long the batch's first record has waited, in nanoseconds, 0 or more;
   *     becomes part of the timings
   * @return as many records, in the same order; a record that cannot be processed has a failure
   * @throws io.latimer.operators.OperatorException if the stage can no longer process records
   */
  List<Envelope> apply(List<Envelope> batch, long queueNanos);
}
