package io.latimer.operators.device;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * The threads of one operator: the caller's and as many more as were asked for, which wait while
 * there is nothing to do. All that they do is to run the parts of one call side by side.
 */
public final class Team implements AutoCloseable {
  private static final AtomicInteger TEAMS = new AtomicInteger();

  private final int size;
  private final ExecutorService helpers;

  /**
   * Makes a team.
   *
   * @param size its threads, the caller's among them; 1 or more
   * @param name what its threads are called
   */
  public Team(int size, String name) {
    this.size = size;
    int number = TEAMS.incrementAndGet();
    this.helpers =
        size == 1
            ? null
            : Executors.newFixedThreadPool(
                size - 1,
                work -> {
                  Thread thread = new Thread(work, "latimer-" + name + "-" + number);
                  thread.setDaemon(true);
                  return thread;
                });
  }

  /** How many threads work side by side. */
  public int size() {
    return size;
  }

  /**
   * Runs a task for every number from 0 on, each thread taking the next when it is done with one.
   * Returns when all have run; throws what the first to fail threw.
   *
   * @param task told the number of the part
   */
  public void run(int parts, IntConsumer task) {
    if (helpers == null || parts == 1) {
      for (int i = 0; i < parts; i++) {
        task.accept(i);
      }
      return;
    }
    AtomicInteger next = new AtomicInteger();
    Runnable share =
        () -> {
          for (int i = next.getAndIncrement(); i < parts; i = next.getAndIncrement()) {
            task.accept(i);
          }
        };
    List<Future<?>> running = new ArrayList<>();
    for (int i = 1; i < Math.min(size, parts); i++) {
      running.add(helpers.submit(share));
    }
    Throwable failed = null;
    try {
      share.run();
    } catch (RuntimeException | Error e) {
      failed = e;
    }
    for (Future<?> future : running) {
      failed = await(future, failed);
    }
    if (failed instanceof RuntimeException e) {
      throw e;
    }
    if (failed instanceof Error e) {
      throw e;
    }
  }

  /** Waits even when interrupted: a part that still runs writes to memory that is ours. */
  private static Throwable await(Future<?> future, Throwable failed) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          future.get();
          return failed;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          return failed == null ? e.getCause() : failed;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    if (helpers != null) {
      helpers.shutdown();
    }
  }
}
