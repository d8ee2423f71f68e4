package io.latimer.pipelines.stage;

import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.stages.Stages;
import java.util.Objects;

/**
 * A stage as a job file has it.
 *
 * @param settings of one of the sections of {@link Stages}; its name says what kind of stage it is
 */
public record StageConfig(Settings settings) {
  /** The key of a stage's name, which every kind of stage has. */
  public static final ConfigKey<String> NAME =
      ConfigKey.of(
          "name",
          ConfigTypes.text(
              "letters, digits, - and _, or nothing", text -> text.matches("[A-Za-z0-9_-]{0,64}")),
          "",
          "Name of the stage in metrics, dead letters, timings and the job's state; the kind of the"
              + " stage where empty. Unique within the job. Changing it loses the stage's state.");

  /** The key of a stage's device. */
  public static final ConfigKey<String> DEVICE =
      ConfigKey.of(
          "device",
          ConfigTypes.text(
              "cpu, auto, gpu or gpu:N", text -> text.matches("cpu|auto|gpu(:[0-9]{1,3})?")),
          "cpu",
          "Where the stage works: `cpu`, `auto` (a GPU where there is one), or `gpu:N`. A GPU that"
              + " is asked for and is not there is an error.");

  public StageConfig {
    Objects.requireNonNull(settings, "settings");
  }

  /** What kind of stage it is. */
  public String kind() {
    return settings.section().name();
  }

  /** Its name, unique within a job. */
  public String name() {
    String name = settings.get(NAME);
    return name.isEmpty() ? kind() : name;
  }
}
