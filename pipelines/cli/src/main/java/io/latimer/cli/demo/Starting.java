package io.latimer.cli.demo;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Something that starts in its own thread, in parallel with others, and can be cancelled before it
 * has started.
 *
 * @param <T> its type
 */
final class Starting<T> {
  private static final Duration OUTCOME_LIMIT = Duration.ofSeconds(15);

  private final FutureTask<T> task;
  private final Thread thread;

  /**
   * Starts immediately.
   *
   * @param starter releases everything if it throws, for example because it was interrupted
   */
  Starting(String name, Callable<T> starter) {
    task = new FutureTask<>(starter);
    thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Waits for the start to finish, with a timeout; returns whether it has. */
  boolean ends(Duration patience) throws InterruptedException {
    thread.join(patience.toMillis());
    return task.isDone();
  }

  /**
   * The result, once it has started.
   *
   * @throws Exception why it failed
   */
  T get() throws Exception {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Interrupts it if it is still starting; {@link #outcome} waits for the result. */
  void giveUp() {
    thread.interrupt();
  }

  /** Waits for the start to finish. Empty if it has failed or is stuck. */
  Optional<T> outcome() throws InterruptedException {
    try {
      return Optional.of(task.get(OUTCOME_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty();
    }
  }
}
