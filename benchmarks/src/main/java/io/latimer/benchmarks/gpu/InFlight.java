package io.latimer.benchmarks.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Processes batches on several threads concurrently. */
final class InFlight {
  private InFlight() {}

  /**
   * Processes batches; each thread takes the next when it has finished one.
   *
   * @param threads number of batches in flight
   * @param batches total number of batches
   * @param work processes the batch at an index
   * @return the elapsed time in seconds
   */
  static double seconds(int threads, int batches, IntConsumer work) {
    AtomicInteger next = new AtomicInteger();
    List<FutureTask<Void>> tasks = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < threads; i++) {
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                for (int b = next.getAndIncrement(); b < batches; b = next.getAndIncrement()) {
                  work.accept(b);
                }
              },
              null);
      tasks.add(task);
      new Thread(task).start();
    }
    for (FutureTask<Void> task : tasks) {
      await(task);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private static void await(FutureTask<Void> task) {
    try {
      task.get();
    } catch (ExecutionException e) {
      throw new CompletionException("a batch failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
