package io.latimer.pipelines.stage;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceLostException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device of a stage.
 *
 * <p>A process that has lost its last GPU cannot get it back, and whoever starts the stage again in
 * it only fails again. So such a process ends, and what watches over it (Kubernetes, Docker, YARN)
 * starts another: by default if it is a task manager of Flink, else if {@link #WHEN_LOST} says so.
 */
public final class StageDevice {
  /** System property: {@code exit} or {@code fail}, which leaves the process alone. */
  public static final String WHEN_LOST = "latimer.gpu.lost";

  /** Status of a process that ends so: EX_TEMPFAIL of sysexits.h. */
  public static final int EXIT_STATUS = 75;

  private static final Logger LOG = LoggerFactory.getLogger(StageDevice.class);

  /** The programs of Flink's task managers: standalone, in Kubernetes and in YARN. */
  private static final Pattern TASK_MANAGER =
      Pattern.compile("org\\.apache\\.flink\\.\\S*Task(Manager|Executor)Runner(\\s.*)?");

  private static final AtomicBoolean ENDING = new AtomicBoolean();

  private StageDevice() {}

  /**
   * Chooses a device and opens it.
   *
   * @param gpus as {@link Device#parse(String, Supplier)} takes them
   * @throws DeviceLostException if the GPU was lost, or one was and no other can take its place;
   *     the process ends then if {@link #endsProcess}
   * @throws OperatorException if it cannot be used; one sentence
   */
  public static Device choose(Stage stage, Supplier<List<Integer>> gpus) {
    return choose(() -> Device.parse(stage.device(), gpus));
  }

  static Device choose(Supplier<Device> choice) {
    try {
      return choice.get();
    } catch (DeviceLostException e) {
      if (endsProcess() && ENDING.compareAndSet(false, true)) {
        LOG.error("This process has no GPU left and ends. {}", e.getMessage());
        // in another thread: the hooks of the process's end wait for tasks, such as this one
        new Thread(() -> System.exit(EXIT_STATUS), "end without a GPU").start();
      }
      throw e;
    }
  }

  /**
   * Whether this process ends when it has lost its last GPU.
   *
   * @throws OperatorException if {@link #WHEN_LOST} is neither of its values
   */
  public static boolean endsProcess() {
    String value = System.getProperty(WHEN_LOST, "");
    return switch (value) {
      case "exit" -> true;
      case "fail" -> false;
      case "" -> isTaskManager(System.getProperty("sun.java.command", ""));
      default ->
          throw new OperatorException(
              "system property " + WHEN_LOST + " is \"" + value + "\"; use exit or fail");
    };
  }

  static boolean isTaskManager(String command) {
    return TASK_MANAGER.matcher(command).matches();
  }
}
