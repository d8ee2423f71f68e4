package io.latimer.pipelines.stage;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import java.io.Serializable;

/**
 * One step of a job: a {@link BatchStage} processes records; a {@link TableStage} passes them
 * through and makes tables from what it counts in them.
 *
 * <p>A stage is created with the job, sent to its tasks by Java serialization, and opened there
 * once per task. One thread then uses it, or as many as a {@link BatchStage} allows. Its serialized
 * form contains settings and index references, never an operator.
 */
public sealed interface Stage extends AutoCloseable, Serializable permits BatchStage, TableStage {

  /** Its name in the job file, metrics and dead letters; unique within a job. */
  String name();

  /** Its device, in the syntax of {@link Device#parse}. */
  String device();

  /**
   * Opens its operator.
   *
   * @throws io.latimer.operators.OperatorException if it cannot work, for example because the model
   *     file does not match its reference
   */
  void open(Device device, ResidentIndexes indexes);

  /** Releases its resources. Safe to call twice, and before or without {@link #open}. */
  @Override
  void close();
}
