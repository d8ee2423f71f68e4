package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.GroupCall;
import io.latimer.pipelines.stage.GroupEndedException;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.Gauge;

/**
 * A group of stages and its device threads: one, in which the stages are opened, and as many as the
 * group has batches in flight. The stages are closed when all of them have finished, in one more,
 * and so never while a call hangs in one.
 */
final class StageThreads {
  private final StageGroup group;
  private final RuntimeContext context;
  private final ThreadPoolExecutor threads;
  private final CountDownLatch closed = new CountDownLatch(1);

  private final List<SubtaskDevice> devices = new CopyOnWriteArrayList<>();

  /**
   * Makes the threads.
   *
   * @param stages of the group, not open yet
   */
  StageThreads(List<BatchStage> stages, RuntimeContext context) {
    this.context = context;
    String name =
        "device of "
            + StageGroup.name(stages)
            + " "
            + context.getTaskInfo().getIndexOfThisSubtask();
    ThreadFactory daemons = work -> daemon(context, work, name);
    this.group = new StageGroup(stages, daemons);
    this.threads = new Pool(daemons);
  }

  static Thread daemon(RuntimeContext context, Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(context.getUserCodeClassLoader());
    return thread;
  }

  /** All end together; when the last one has ended, the stages are closed. */
  private final class Pool extends ThreadPoolExecutor {
    Pool(ThreadFactory factory) {
      super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    }

    @Override
    protected void terminated() {
      // in its own thread: the pool's lock is held here, and awaitTermination needs it to time out
      getThreadFactory().newThread(StageThreads.this::close).start();
    }
  }

  private void close() {
    try {
      group.close();
    } finally {
      devices.forEach(SubtaskDevice::close);
      closed.countDown();
    }
  }

  /** Calls {@link #open} in the first thread. */
  Future<Void> submit(Callable<Void> open) {
    return threads.submit(open);
  }

  /**
   * Opens the stages, in the first thread; other work waits for it.
   *
   * @throws UnrecoverableException if an index is not the one referred to
   */
  Void open() {
    for (BatchStage stage : group.members()) {
      SubtaskDevice device = SubtaskDevice.of(stage, context);
      devices.add(device);
      try {
        stage.open(device.device(), ResidentIndexes.process());
      } catch (IndexFormatException e) {
        throw new UnrecoverableException("stage " + stage.name() + ": " + e.getMessage(), e);
      }
    }
    int inFlight = group.inFlight();
    threads.setMaximumPoolSize(inFlight);
    threads.setCorePoolSize(inFlight);
    return null;
  }

  /** A call for a batch; see {@link StageGroup#call}. */
  GroupCall call(List<Envelope> batch, long queueNanos) {
    return group.call(batch, queueNanos);
  }

  /** The GPUs of the open stages. */
  List<Gauge<Integer>> gauges() {
    return devices.stream().map(SubtaskDevice::gauge).toList();
  }

  void execute(Runnable work) {
    threads.execute(work);
  }

  /**
   * Ends the threads once the stages have finished what they work on. Calls that are between two
   * stages end with a {@link GroupEndedException}.
   *
   * @return the work that had not begun
   */
  List<Runnable> end() {
    List<Runnable> waiting = new ArrayList<>();
    threads.getQueue().drainTo(waiting);
    group.end();
    threads.shutdown();
    return waiting;
  }

  /** Waits until the threads have ended and the stages are closed; false if that took too long. */
  boolean awaitClosed(long millis) throws InterruptedException {
    return closed.await(millis, TimeUnit.MILLISECONDS);
  }
}
