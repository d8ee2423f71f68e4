package io.latimer.pipelines.stage;

import io.latimer.operators.index.IndexRef;
import io.latimer.schemas.Envelope;
import java.util.List;

/** A stage that works on batches of records and hands them on. */
public non-sealed interface BatchStage extends Stage {

  /**
   * The indexes that it loads: a job's state holds these references.
   *
   * @return empty where it needs none
   */
  List<IndexRef> indexRefs();

  /**
   * Whether the job file names its indexes by their SHA-256, which says that a content other than
   * the one in a job's state is meant.
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
   * Works on a batch. The records are not changed: those that go on are new ones, because an engine
   * may write the batch to a checkpoint meanwhile.
   *
   * @param batch the records in stream order; those that came with a failure are passed by
   * @param queueNanos how long the batch's first record waited until now, 0 or more: goes into the
   *     timings
   * @return as many records in the same order. A record that cannot be processed has a failure
   * @throws io.latimer.operators.OperatorException if the stage can no longer work
   */
  List<Envelope> apply(List<Envelope> batch, long queueNanos);
}
