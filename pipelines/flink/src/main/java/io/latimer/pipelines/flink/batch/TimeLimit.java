package io.latimer.pipelines.flink.batch;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.flink.util.ExceptionUtils;

/** The maximum time that the stages of a group may work on a batch. */
final class TimeLimit {
  private final Duration time;
  private final ScheduledExecutorService timer;

  /**
   * Creates a limit.
   *
   * @param time zero for no limit
   */
  TimeLimit(Duration time, ScheduledExecutorService timer) {
    this.time = time;
    this.timer = timer;
  }

  /** The maximum time in milliseconds; 0 for no limit. */
  long millis() {
    return time.toMillis();
  }

  /**
   * Runs a task for a limited time.
   *
   * @param worked the working time it has used, in nanoseconds
   * @param timedOut called when the time is over
   * @throws TooLate if it ends after that
   */
  <T> T call(Callable<T> task, LongSupplier worked, Runnable timedOut) throws Exception {
    if (time.isZero()) {
      return task.call();
    }
    AtomicBoolean over = new AtomicBoolean();
    Watch watch = new Watch(over, worked, timedOut);
    watch.start();
    T done = null;
    Throwable failure = null;
    try {
      done = task.call();
    } catch (Throwable e) { // also errors: a late one must not fail a task that goes on
      failure = e;
    } finally {
      watch.cancel();
    }
    if (!over.compareAndSet(false, true)) {
      throw new TooLate(failure);
    }
    if (failure != null) {
      ExceptionUtils.rethrowException(failure);
    }
    return done;
  }

  /** Checks whether the time of a call is over, and if not, schedules the next check. */
  private final class Watch implements Runnable {
    private final AtomicBoolean over;
    private final LongSupplier worked;
    private final Runnable timedOut;
    private Future<?> next;

    Watch(AtomicBoolean over, LongSupplier worked, Runnable timedOut) {
      this.over = over;
      this.worked = worked;
      this.timedOut = timedOut;
    }

    synchronized void start() {
      if (!over.get()) {
        // at least 1 ms, because the timer's clock and the measured time differ a little
        long left = time.toNanos() - worked.getAsLong();
        next =
            timer.schedule(
                this, Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)), TimeUnit.NANOSECONDS);
      }
    }

    @Override
    public void run() {
      if (worked.getAsLong() < time.toNanos()) {
        start();
      } else if (over.compareAndSet(false, true)) {
        timedOut.run();
      }
    }

    synchronized void cancel() {
      next.cancel(false);
    }
  }

  /** Thrown when a call ends, successfully or not, after its time was over. */
  static final class TooLate extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLate(Throwable failure) {
      super(failure);
    }
  }
}
