package io.latimer.pipelines.stages;

import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import java.io.Serializable;

/** What all stages of a job file have in common. */
abstract class ConfiguredStage implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final String device;

  ConfiguredStage(StageConfig config) {
    this.name = config.name();
    this.device = config.settings().get(StageConfig.DEVICE);
  }

  /** See {@link Stage#name}. */
  public final String name() {
    return name;
  }

  /** See {@link Stage#device}. */
  public final String device() {
    return device;
  }
}
