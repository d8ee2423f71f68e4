package io.latimer.pipelines.stage;

import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import java.util.Objects;

/**
 * The configuration of a stage in a job file.
 *
 * @param settings of the section for one kind of stage, whose name is the kind
 */
public record StageConfig(Settings settings) {
  /** The key for a stage's name, which every kind of stage has. */
  public static final ConfigKey<String> NAME =
      ConfigKey.of(
          "name",
          ConfigTypes.label(),
          "",
          "Name of the stage in metrics, dead letters, timings and the job's state; if empty, the"
              + " kind of the stage. Unique within the job. Changing it loses the stage's state.");

  /** The key for a stage's device. */
  public static final ConfigKey<String> DEVICE =
      ConfigKey.of(
          "device",
          ConfigTypes.text("cpu, auto, gpu or gpu:N", StageConfig::isDevice),
          "cpu",
          "Device of the stage: `cpu`; `gpu`, any GPU; `gpu:N`; or `auto`, a GPU if one is usable,"
              + " else the CPU. The stage's subtasks are spread over several GPUs unless N is given."
              + " An unusable GPU is an error.");

  /**
   * A key for another device; if empty, that of the stage.
   *
   * @param of whose device, such as "With `phrases`: device of the `language-model`"
   */
  public static ConfigKey<String> otherDevice(String name, String of) {
    return ConfigKey.of(
        name,
        ConfigTypes.text(
            "cpu, auto, gpu, gpu:N, or empty", text -> text.isEmpty() || isDevice(text)),
        "",
        of + ", as for `device`; empty for the same device.");
  }

  public StageConfig {
    Objects.requireNonNull(settings, "settings");
  }

  private static boolean isDevice(String text) {
    return text.matches("cpu|auto|gpu(:[0-9]{1,3})?");
  }

  /** The kind of stage. */
  public String kind() {
    return settings.section().name();
  }

  /** Its name, unique within a job. */
  public String name() {
    String name = settings.get(NAME);
    return name.isEmpty() ? kind() : name;
  }
}
