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
 * <p>A process that has lost its last GPU cannot get it back, so restarting the stage in it would
 * only fail again. Such a process exits, and its supervisor (Kubernetes, Docker, YARN) starts
 * another: by default if it is a Flink task manager, else if {@link #WHEN_LOST} says so.
 */
public final class StageDevice {
  /** System property: {@code exit} to end the process, {@code fail} to leave it running. */
  public static final String WHEN_LOST = "latimer.gpu.lost";

  /** Exit status of such a process: EX_TEMPFAIL of sysexits.h. */
  public static final int EXIT_STATUS = 75;

  private static final Logger LOG = LoggerFactory.getLogger(StageDevice.class);

  /** The main classes of Flink's task managers: standalone, in Kubernetes and in YARN. */
  private static final Pattern TASK_MANAGER =
      Pattern.compile("org\\.apache\\.flink\\.\\S*Task(Manager|Executor)Runner(\\s.*)?");

  private static final AtomicBoolean ENDING = new AtomicBoolean();

  private StageDevice() {}

  /**
   * Chooses a device and opens it.
   *
   * @param gpus as for {@link Device#parse(String, Supplier)}
   * @throws DeviceLostException if the GPU was lost, or one was lost and no other can replace it;
   *     the process then ends if {@link #endsProcess}
   * @throws OperatorException if it cannot be used; the message is one sentence
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
        // in another thread, because shutdown hooks wait for tasks such as this one
        new Thread(() -> System.exit(EXIT_STATUS), "end without a GPU").start();
      }
      throw e;
    }
  }

  /**
   * Whether this process ends once it has lost its last GPU.
   *
   * @throws OperatorException if {@link #WHEN_LOST} has an invalid value
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
