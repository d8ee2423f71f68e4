package io.latimer.pipelines.flink.task;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceLostException;
import io.latimer.operators.device.Devices;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device of a subtask of a stage.
 *
 * <p>If the job file does not name the GPU ({@code gpu} or {@code auto}), the subtasks of a stage
 * in this process are spread over the GPUs that the task manager has as Flink's external resource
 * {@code gpu}, or else over those that the driver shows: each subtask takes the one with the fewest
 * subtasks of the stage.
 */
public final class SubtaskDevice implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SubtaskDevice.class);

  /** The name of the external resource, and of the property of a GPU that holds its index. */
  static final String RESOURCE = "gpu";

  static final String INDEX = "index";

  /** Number of subtasks of a stage that use a device, in this process. */
  private static final Map<Use, Integer> USES = new HashMap<>();

  private record Use(JobID job, String stage, Device device) {}

  private final Use use;
  private boolean closed;

  private SubtaskDevice(Use use) {
    this.use = use;
  }

  /**
   * Chooses a device and opens it.
   *
   * @throws OperatorException if it cannot be used; the message is one sentence
   * @throws UnrecoverableException if no GPU can be used, but the process goes on
   */
  public static SubtaskDevice of(Stage stage, RuntimeContext context) {
    JobID job = context.getJobInfo().getJobId();
    synchronized (USES) {
      Device device = choose(stage, job, context);
      Use use = new Use(job, stage.name(), device);
      USES.merge(use, 1, Integer::sum);
      LOG.info(
          "stage {}, subtask {}: {}",
          stage.name(),
          context.getTaskInfo().getIndexOfThisSubtask(),
          device);
      return new SubtaskDevice(use);
    }
  }

  private static Device choose(Stage stage, JobID job, RuntimeContext context) {
    try {
      return StageDevice.choose(stage, () -> choice(stage, job, context));
    } catch (DeviceLostException e) {
      if (StageDevice.endsProcess()) {
        throw e; // the process ends, and the job goes on in the next one
      }
      throw new UnrecoverableException("stage " + stage.name() + ": " + e.getMessage(), e);
    }
  }

  /** The usable GPUs, those with the fewest subtasks of the stage first. */
  private static List<Integer> choice(Stage stage, JobID job, RuntimeContext context) {
    List<Integer> gpus = given(context);
    if (gpus.isEmpty()) {
      gpus.addAll(Devices.shown());
    }
    gpus.sort(
        Comparator.comparing(
            gpu -> USES.getOrDefault(new Use(job, stage.name(), Device.gpu(gpu)), 0)));
    return gpus;
  }

  /** The GPUs of the external resource, by index; none if the cluster does not assign GPUs. */
  private static List<Integer> given(RuntimeContext context) {
    List<Integer> gpus = new ArrayList<>();
    for (ExternalResourceInfo info : context.getExternalResourceInfos(RESOURCE)) {
      String index = info.getProperty(INDEX).orElse("");
      try {
        gpus.add(Device.gpu(Integer.parseInt(index)).index());
      } catch (IllegalArgumentException e) {
        throw new OperatorException(
            "the external resource "
                + RESOURCE
                + " has a GPU of "
                + INDEX
                + " \""
                + index
                + "\"; its driver must give the number of the GPU, from 0",
            e);
      }
    }
    gpus.sort(Comparator.naturalOrder());
    return gpus;
  }

  /** The device that the subtask uses. */
  public Device device() {
    return use.device();
  }

  /** Gives the device back. Closing twice is safe. */
  @Override
  public void close() {
    synchronized (USES) {
      if (!closed) {
        closed = true;
        USES.computeIfPresent(use, (key, uses) -> uses == 1 ? null : uses - 1);
      }
    }
  }
}
