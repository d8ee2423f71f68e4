package io.latimer.pipelines.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads in which the stages of a group process batches: at first one, which opens the stages,
 * then as many as batches in flight. They end together. Once the last has ended, another thread
 * closes the stages, so that this never happens while a call hangs.
 */
public final class BatchThreads {
  private final Runnable close;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ThreadPoolExecutor pool;

  /**
   * Creates the threads.
   *
   * @param close closes the stages
   */
  public BatchThreads(ThreadFactory factory, Runnable close) {
    this.close = close;
    this.pool = new Pool(factory);
  }

  private final class Pool extends ThreadPoolExecutor {
    Pool(ThreadFactory factory) {
      super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    }

    @Override
    protected void terminated() {
      // in a separate thread: the pool's lock is held here
      getThreadFactory().newThread(BatchThreads.this::close).start();
    }
  }

  private void close() {
    try {
      close.run();
    } finally {
      closed.countDown();
    }
  }

  /**
   * Sets the number of threads.
   *
   * @param inFlight concurrent batches, 1 or more; not less than before
   */
  public void grow(int inFlight) {
    pool.setMaximumPoolSize(inFlight);
    pool.setCorePoolSize(inFlight);
  }

  /** The number of threads, each of which processes a batch at a time. */
  public int size() {
    return pool.getMaximumPoolSize();
  }

  /** Runs work in the next free thread. */
  public void execute(Runnable work) {
    pool.execute(work);
  }

  /**
   * Ends the threads once they have finished their current work. Ending twice is safe.
   *
   * @return the work that had not begun
   */
  public List<Runnable> end() {
    List<Runnable> waiting = new ArrayList<>();
    pool.getQueue().drainTo(waiting);
    pool.shutdown();
    return waiting;
  }

  /**
   * Waits until the threads have ended and the stages are closed.
   *
   * @return false if the time is over first
   */
  public boolean awaitClosed(long millis) throws InterruptedException {
    return closed.await(millis, TimeUnit.MILLISECONDS);
  }
}
