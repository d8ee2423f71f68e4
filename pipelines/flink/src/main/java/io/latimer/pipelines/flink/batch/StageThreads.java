package io.latimer.pipelines.flink.batch;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.flink.task.SubtaskDevice;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.BatchThreads;
import io.latimer.pipelines.stage.GroupEndedException;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.StageLoad;
import io.latimer.pipelines.stage.StageVersions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.apache.flink.api.common.functions.RuntimeContext;

/** A group of stages, their devices and the threads in which they process batches. */
public final class StageThreads {
  private final StageVersions versions;
  private final IndexMetrics indexMetrics;
  private final RuntimeContext context;
  private final BatchThreads threads;

  /** By stage name, in stage order. */
  private final Map<String, SubtaskDevice> devices =
      Collections.synchronizedMap(new LinkedHashMap<>());

  /** The open stages that later batches use, by stage name. */
  private final Map<String, StageVersions.Hold> inUse = new ConcurrentHashMap<>();

  /**
   * Creates the threads.
   *
   * @param stages of the group, not open yet
   * @param indexMetrics is updated with the indexes in use
   */
  StageThreads(List<BatchStage> stages, RuntimeContext context, IndexMetrics indexMetrics) {
    this.context = context;
    this.indexMetrics = indexMetrics;
    String name =
        "device of "
            + StageGroup.name(stages)
            + " "
            + context.getTaskInfo().getIndexOfThisSubtask();
    ThreadFactory daemons = work -> daemon(context, work, name);
    this.versions = new StageVersions(stages, daemons, this::open);
    this.threads = new BatchThreads(daemons, this::close);
  }

  /** A daemon thread of a subtask, not started yet. */
  public static Thread daemon(RuntimeContext context, Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(context.getUserCodeClassLoader());
    return thread;
  }

  private void close() {
    try {
      versions.close();
    } finally {
      List.copyOf(devices.values()).forEach(SubtaskDevice::close);
    }
  }

  /** Chooses the devices of the stages, unless they are chosen already. */
  Void choose() {
    for (BatchStage stage : versions.stages()) {
      if (!devices.containsKey(stage.name())) {
        devices.put(stage.name(), SubtaskDevice.of(stage, context));
      }
    }
    return null;
  }

  private void open(BatchStage stage) {
    long start = System.nanoTime();
    stage.open(devices.get(stage.name()).device(), ResidentIndexes.process());
    indexMetrics.opened(stage, System.nanoTime() - start);
  }

  /**
   * Opens the stages on the indexes that later batches use.
   *
   * @param indexes by {@link IndexName}; those that are not listed are of the job file
   * @throws UnrecoverableException if the content of an index does not match its reference
   */
  Void open(Map<String, IndexVersion> indexes) {
    choose();
    for (BatchStage stage : versions.stages()) {
      StageVersions.Hold hold = versions.hold(stage.name(), indexes);
      try {
        hold.open();
      } catch (IndexFormatException e) {
        throw new UnrecoverableException("stage " + stage.name() + ": " + e.getMessage(), e);
      }
      if (inUse.putIfAbsent(stage.name(), hold) != null) {
        hold.close(); // a swap came first
      } else {
        indexMetrics.inUse(hold.open(), indexes);
      }
    }
    int inFlight;
    try (StageVersions.Use all = versions.use(indexes)) {
      inFlight = all.group().inFlight();
    }
    threads.grow(inFlight);
    return null;
  }

  /**
   * Opens a stage on versions of its indexes, beside the one in use, and holds it open. Runs in the
   * calling thread.
   *
   * @param indexes by {@link IndexName}; those that are not listed are of the job file
   * @throws io.latimer.operators.OperatorException if it cannot be opened
   */
  StageVersions.Hold prepare(String stage, Map<String, IndexVersion> indexes) {
    StageVersions.Hold hold = versions.hold(stage, indexes);
    try {
      hold.open();
      return hold;
    } catch (RuntimeException | Error e) {
      hold.close();
      throw e;
    }
  }

  /**
   * Switches later batches to a stage that is held open.
   *
   * @param indexes the versions it is open on, by {@link IndexName}
   * @return the hold on the stage they used before, to be released; null if there was none
   */
  StageVersions.Hold use(String stage, Map<String, IndexVersion> indexes, StageVersions.Hold hold) {
    StageVersions.Hold before = inUse.put(stage, hold);
    indexMetrics.inUse(hold.open(), indexes);
    return before;
  }

  /**
   * Holds the index versions of a batch open; those that are not are opened when the group is
   * requested.
   *
   * @param indexes by {@link IndexName}; those that are not listed are of the job file
   */
  StageVersions.Use use(Map<String, IndexVersion> indexes) {
    return versions.use(indexes);
  }

  /** The device of a stage, by its position in the group. It must have been chosen. */
  Device device(int stage) {
    return devices.get(versions.stages().get(stage).name()).device();
  }

  /** The load of a stage, by its position in the group. */
  StageLoad load(int stage) {
    return versions.loads().get(stage);
  }

  /**
   * Whether another batch would have to wait, for a thread or behind a batch that waits for a
   * stage.
   *
   * @param batches number of unfinished batches
   */
  boolean areBusy(int batches) {
    return batches >= threads.size()
        || versions.loads().stream().anyMatch(load -> load.waiting() > 0);
  }

  void execute(Runnable work) {
    threads.execute(work);
  }

  /**
   * Ends the threads once the stages have finished their current work. Calls between two stages end
   * with a {@link GroupEndedException}.
   *
   * @return the work that had not begun
   */
  List<Runnable> end() {
    versions.end();
    return threads.end();
  }

  /**
   * Waits until the threads have ended and the stages are closed; false if the time is over first.
   */
  boolean awaitClosed(long millis) throws InterruptedException {
    return threads.awaitClosed(millis);
  }
}
