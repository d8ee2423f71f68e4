package io.latimer.pipelines.sql;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Cancels calls that take too long. All have the same time limit, so a queue is in the order of
 * their deadlines; a timer for each call would cost more than most calls.
 *
 * @param <T> type of the calls
 */
final class Deadlines<T extends Future<?>> implements AutoCloseable {
  private final long nanos;
  private final Consumer<T> late;
  private final Queue<Entry<T>> calls = new ArrayDeque<>();
  private final ScheduledExecutorService timer;

  private record Entry<T>(T call, long end) {}

  /**
   * Starts the timer.
   *
   * @param time limit of a call
   * @param late ends a call whose deadline has passed
   * @param name of the timer's thread
   */
  Deadlines(Duration time, Consumer<T> late, String name) {
    this.nanos = time.toNanos();
    this.late = late;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, name);
              thread.setDaemon(true);
              return thread;
            });
    // a call ends at most a twentieth of its time limit too late
    long every = Math.max(TimeUnit.MILLISECONDS.toNanos(1), nanos / 20);
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(
            () -> end(System.nanoTime()), every, every, TimeUnit.NANOSECONDS);
  }

  /** Adds a call that starts now. */
  synchronized void add(T call) {
    while (!calls.isEmpty() && calls.peek().call().isDone()) {
      calls.remove();
    }
    calls.add(new Entry<>(call, System.nanoTime() + nanos));
  }

  private void end(long now) {
    List<T> over = new ArrayList<>();
    synchronized (this) {
      calls.removeIf(entry -> entry.call().isDone()); // does not retain results behind a slow call
      while (!calls.isEmpty() && calls.peek().end() - now <= 0) {
        over.add(calls.remove().call());
      }
    }
    for (T call : over) {
      try {
        late.accept(call);
      } catch (Throwable e) { // the timer would swallow it and end no more calls
        boolean unused = call.cancel(false);
      }
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
