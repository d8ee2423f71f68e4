package io.latimer.benchmarks.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Batches that some threads work on at once. */
final class InFlight {
  private InFlight() {}

  /**
   * Works on batches, each thread taking the next when it has done one.
   *
   * @param threads how many batches are in flight
   * @param batches their number
   * @param work what is done to a batch, given its place
   * @return the seconds it takes
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
