package io.latimer.pipelines;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.schemas.Envelope;
import java.io.Serializable;
import java.util.List;

/**
 * One step of a job.
 *
 * <p>A stage is made where the job is put together, travels to its tasks by Java serialization, and
 * is opened there once per task. From then on one thread uses it. What travels is its settings and
 * the references of its indexes, never an operator.
 */
public interface Stage extends AutoCloseable, Serializable {

  /** Its name in the job file, in metrics and in dead letters; unique within a job. */
  String name();

  /** Where it works, as {@link Device#parse} reads it. */
  String device();

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
   * Makes its operator.
   *
   * @throws io.latimer.operators.OperatorException if it cannot work, such as for a model file that
   *     is not the one referred to
   */
  void open(Device device, ResidentIndexes indexes);

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

  /** Gives back what it holds. Safe to call twice, and before or without {@link #open}. */
  @Override
  void close();
}
