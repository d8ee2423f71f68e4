package io.latimer.pipelines.flink.control;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.flink.task.TaskThreads;
import io.latimer.schemas.ControlCommand;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Prepares the commands of a subtask, one at a time, each within a time limit. One that takes
 * longer is refused and interrupted; if its thread still loads something, that is closed.
 */
final class Preparation implements AutoCloseable {
  /** Maximum number of threads that hang while loading, because each may hold memory. */
  private static final int MAX_HANGING = 3;

  /** Ends the work on a command because the task has ended. */
  static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final int subtask;
  private final Duration limit;
  private final TaskThreads threads;
  private final AtomicInteger running = new AtomicInteger();
  private volatile CompletableFuture<CommandKind.Change> current = new CompletableFuture<>();

  /** Whether others have already applied the current command. Set before it is prepared. */
  private volatile boolean follows;

  private volatile boolean inputEnded;

  /**
   * Creates the preparation in a subtask.
   *
   * @param limit maximum time for a command
   */
  Preparation(int subtask, Duration limit, ThreadFactory threads) {
    this.subtask = subtask;
    this.limit = limit;
    this.threads = new TaskThreads(threads);
  }

  /**
   * Prepares a command; a change that is ready too late is closed.
   *
   * @param follows whether others have already applied it, so that this subtask must
   * @throws EndedException if this is closed meanwhile
   * @throws RuntimeException if it cannot be executed
   */
  CommandKind.Change prepare(CommandKind kind, ControlCommand command, boolean follows)
      throws InterruptedException {
    if (kind.loads() && running.get() >= MAX_HANGING) {
      throw new OperatorException(
          MAX_HANGING
              + " commands before are still being prepared in subtask "
              + subtask
              + ", although their time is over; nothing more is loaded until one of them ends, or"
              + " the job is restarted");
    }
    CompletableFuture<CommandKind.Change> prepared = new CompletableFuture<>();
    this.follows = follows;
    current = prepared;
    if (inputEnded && !follows) {
      throw noInput();
    }
    running.incrementAndGet();
    Thread thread =
        threads.start(
            () -> {
              try {
                CommandKind.Change change = kind.prepare(command);
                if (!prepared.complete(change)) {
                  change.close();
                }
              } catch (Throwable e) { // also errors, such as out of memory
                prepared.completeExceptionally(e);
              } finally {
                running.decrementAndGet();
              }
            });
    try {
      return prepared.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      OperatorException late =
          new OperatorException(
              kind.what(command)
                  + " was not loaded within "
                  + limit.toMillis()
                  + " ms in subtask "
                  + subtask
                  + "; if it only needs longer, raise control.load-timeout",
              e);
      if (prepared.completeExceptionally(late)) {
        thread.interrupt();
        throw late;
      }
      return prepared.join();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new OperatorException(e.getCause().toString(), e.getCause());
    }
  }

  /**
   * Refuses the current command, and later ones, unless others have applied them: the subtask has
   * no more batches, but others may wait for its vote.
   */
  void endInput() {
    inputEnded = true;
    CompletableFuture<CommandKind.Change> change = current;
    if (!follows) {
      change.completeExceptionally(noInput());
    }
  }

  boolean isInputEnded() {
    return inputEnded;
  }

  private OperatorException noInput() {
    return new OperatorException("the input of subtask " + subtask + " has ended");
  }

  /**
   * Ends the work on the current command without waiting for its thread, which ends when it is done
   * with loading.
   */
  @Override
  public void close() {
    current.completeExceptionally(new EndedException());
    threads.close();
  }
}
