package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import java.io.Serializable;

/** The common base of all stages of a job file. */
abstract class ConfiguredStage implements Serializable, Cloneable {
  private static final long serialVersionUID = 1L;

  private final String kind;
  private final String name;
  private final String device;

  ConfiguredStage(StageConfig config) {
    this.kind = config.kind();
    this.name = config.name();
    this.device = config.settings().get(StageConfig.DEVICE);
  }

  /** A shallow copy; the copy of an open stage would share its resources. */
  final ConfiguredStage copy() {
    try {
      return (ConfiguredStage) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e); // it is Cloneable
    }
  }

  /** The kind of stage in the job file. */
  public final String kind() {
    return kind;
  }

  /** See {@link Stage#name}. */
  public final String name() {
    return name;
  }

  /**
   * Requires a resource that a stage has only while it is open.
   *
   * @throws OperatorException if it is null because the stage is not open
   */
  final <T> T requireOpen(T opened) {
    if (opened == null) {
      throw new OperatorException("stage " + name + " is not open; open it first");
    }
    return opened;
  }

  /** See {@link Stage#device}. */
  public final String device() {
    return device;
  }
}
