package io.latimer.pipelines.stage;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import java.io.Serializable;

/**
 * One step of a job: a {@link BatchStage} works on records, a {@link TableStage} lets them pass and
 * makes tables of what it counts in them.
 *
 * <p>A stage is made where the job is put together, travels to its tasks by Java serialization, and
 * is opened there once per task. From then on one thread uses it, or as many as a {@link
 * BatchStage} says. What travels is its settings and the references of its indexes, never an
 * operator.
 */
public sealed interface Stage extends AutoCloseable, Serializable permits BatchStage, TableStage {

  /** Its name in the job file, in metrics and in dead letters; unique within a job. */
  String name();

  /** Where it works, as {@link Device#parse} reads it. */
  String device();

  /**
   * Makes its operator.
   *
   * @throws io.latimer.operators.OperatorException if it cannot work, such as for a model file that
   *     is not the one referred to
   */
  void open(Device device, ResidentIndexes indexes);

  /** Gives back what it holds. Safe to call twice, and before or without {@link #open}. */
  @Override
  void close();
}
