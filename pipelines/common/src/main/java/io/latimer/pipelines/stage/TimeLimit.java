package io.latimer.pipelines.stage;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The maximum time that the stages of a group may work on a batch. */
public final class TimeLimit {
  private final Duration time;
  private final ScheduledExecutorService timer;

  /**
   * Creates a limit.
   *
   * @param time zero for no limit
   * @param timer runs what happens when the time is over
   */
  public TimeLimit(Duration time, ScheduledExecutorService timer) {
    this.time = time;
    this.timer = timer;
  }

  /** The maximum time in milliseconds; 0 for no limit. */
  public long millis() {
    return time.toMillis();
  }

  /**
   * Runs a task for a limited time.
   *
   * @param worked the working time it has used, in nanoseconds
   * @param timedOut called when the time is over
   * @throws TooLate if it ends after that
   */
  public <T> T call(Supplier<T> task, LongSupplier worked, Runnable timedOut) {
    if (time.isZero()) {
      return task.get();
    }
    AtomicBoolean over = new AtomicBoolean();
    Watch watch = new Watch(over, worked, timedOut);
    watch.start();
    T done = null;
    Throwable failure = null;
    try {
      done = task.get();
    } catch (Throwable e) { // also errors: a late one must not fail a task that goes on
      failure = e;
    } finally {
      watch.cancel();
    }
    if (!over.compareAndSet(false, true)) {
      throw new TooLate(failure);
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
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
  public static final class TooLate extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLate(Throwable failure) {
      super(failure);
    }
  }
}
