package io.latimer.cli.demo;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Something that is being started in a thread of its own, beside other things, and that can be
 * given up before it has started.
 *
 * @param <T> what it is
 */
final class Starting<T> {
  private static final Duration OUTCOME_LIMIT = Duration.ofSeconds(15);

  private final FutureTask<T> task;
  private final Thread thread;

  /**
   * Begins at once.
   *
   * @param starter leaves nothing behind where it throws, for one, because it was interrupted
   */
  Starting(String name, Callable<T> starter) {
    task = new FutureTask<>(starter);
    thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Waits for the end of the start for so long, and says whether it has come. */
  boolean ends(Duration patience) throws InterruptedException {
    thread.join(patience.toMillis());
    return task.isDone();
  }

  /**
   * What was started, once it has.
   *
   * @throws Exception what was wrong
   */
  T get() throws Exception {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Interrupts it where it is still starting; {@link #outcome} waits for what follows. */
  void giveUp() {
    thread.interrupt();
  }

  /** Waits for the end of the start. Empty where it has failed, or is stuck. */
  Optional<T> outcome() throws InterruptedException {
    try {
      return Optional.of(task.get(OUTCOME_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty();
    }
  }
}
