package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.stage.BatchStage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.Gauge;

/**
 * A stage and its device threads: one, in which it is opened and used, or as many as the stage has
 * batches in flight. It is closed when all of them have finished, in one more, and so never while a
 * call hangs in it.
 */
final class StageThreads {
  private final BatchStage stage;
  private final RuntimeContext context;
  private final ThreadPoolExecutor threads;
  private final CountDownLatch closed = new CountDownLatch(1);

  private volatile SubtaskDevice device;

  /**
   * Makes the threads.
   *
   * @param stage not open yet
   */
  StageThreads(BatchStage stage, RuntimeContext context) {
    this.stage = stage;
    this.context = context;
    String name = "device of " + stage.name() + " " + context.getTaskInfo().getIndexOfThisSubtask();
    this.threads = new Pool(work -> daemon(context, work, name));
  }

  static Thread daemon(RuntimeContext context, Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(context.getUserCodeClassLoader());
    return thread;
  }

  /** All end together; when the last one has ended, the stage is closed. */
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
      stage.close();
    } finally {
      if (device != null) {
        device.close();
      }
      closed.countDown();
    }
  }

  /** Calls {@link #open} in the first thread. */
  Future<Void> submit(Callable<Void> open) {
    return threads.submit(open);
  }

  /**
   * Opens the stage, in the first thread; other work waits for it.
   *
   * @throws UnrecoverableException if an index is not the one referred to
   */
  Void open() {
    device = SubtaskDevice.of(stage, context);
    try {
      stage.open(device.device(), ResidentIndexes.process());
    } catch (IndexFormatException e) {
      throw new UnrecoverableException("stage " + stage.name() + ": " + e.getMessage(), e);
    }
    int inFlight = stage.inFlight();
    threads.setMaximumPoolSize(inFlight);
    threads.setCorePoolSize(inFlight);
    return null;
  }

  BatchStage stage() {
    return stage;
  }

  /** The GPU of the open stage. */
  Gauge<Integer> gauge() {
    return device.gauge();
  }

  void execute(Runnable work) {
    threads.execute(work);
  }

  /**
   * Ends the threads once they have finished what they work on.
   *
   * @return the work that had not begun
   */
  List<Runnable> end() {
    List<Runnable> waiting = new ArrayList<>();
    threads.getQueue().drainTo(waiting);
    threads.shutdown();
    return waiting;
  }

  /** Waits until the threads have ended and the stage is closed; false if that took too long. */
  boolean awaitClosed(long millis) throws InterruptedException {
    return closed.await(millis, TimeUnit.MILLISECONDS);
  }
}
