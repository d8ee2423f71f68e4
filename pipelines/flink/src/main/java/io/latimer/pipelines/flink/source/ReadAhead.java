package io.latimer.pipelines.flink.source;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.core.io.InputStatus;

/**
 * Reads the items of a source in a separate thread into a bounded buffer ahead of the task. Any
 * failure of the thread reaches the task, even errors such as out of memory: a source that stopped
 * silently would look like one without new data.
 *
 * @param <T> type of the items
 */
final class ReadAhead<T> {
  /** Maximum items and bytes read ahead; beyond that, the source waits. */
  private static final int MAX_ITEMS = 1_000;

  private static final int MAX_BYTES = 4 << 20;

  private static final int THREAD = 0;

  /** An item, or null at the end. */
  private record Read<T>(T item, int weight) {}

  private final ToIntFunction<T> size;
  private final FutureCompletingBlockingQueue<Read<T>> queue =
      new FutureCompletingBlockingQueue<>(MAX_ITEMS);
  private final Semaphore bytes = new Semaphore(MAX_BYTES);
  private Thread thread;
  private volatile Throwable failure;
  private volatile boolean closed;

  /**
   * Creates a reader that is not started.
   *
   * @param size of an item in bytes
   */
  ReadAhead(ToIntFunction<T> size) {
    this.size = size;
  }

  /**
   * Starts to read.
   *
   * @param name of the thread
   * @param next blocks until the next item; null at the end
   */
  void start(String name, Callable<T> next) {
    thread = new Thread(() -> read(next), name);
    thread.setDaemon(true);
    thread.start();
  }

  private void read(Callable<T> next) {
    try {
      T item;
      do {
        item = next.call();
        if (closed) {
          return; // the queue may be full and nobody may empty it
        }
        int weight = item == null ? 0 : Math.min(MAX_BYTES, size.applyAsInt(item));
        bytes.acquire(weight);
        queue.put(THREAD, new Read<>(item, weight));
      } while (item != null);
    } catch (Throwable e) {
      // this needs neither room in the queue nor memory
      failure = e;
      queue.notifyAvailable();
    }
  }

  /**
   * Takes the next item, if there is one now.
   *
   * @throws IOException if reading failed with it, or with another exception, which its message
   *     names
   * @throws Error if reading failed with it
   */
  InputStatus poll(Consumer<T> taker) throws IOException {
    Throwable reason = failure; // read before the queue, so that all items precede the failure
    Read<T> read = queue.poll();
    if (read != null) {
      bytes.release(read.weight());
      if (read.item() == null) {
        return InputStatus.END_OF_INPUT;
      }
      taker.accept(read.item());
      return InputStatus.MORE_AVAILABLE;
    }
    if (reason instanceof IOException e) {
      throw e;
    }
    if (reason instanceof Error e) {
      throw e; // rethrown unchanged: Flink ends the process on some errors
    }
    if (reason != null) {
      throw new IOException(reason.toString(), reason);
    }
    return InputStatus.NOTHING_AVAILABLE;
  }

  /** A future that is completed once {@link #poll} may have an item, the end or a failure. */
  CompletableFuture<Void> available() {
    CompletableFuture<Void> available = queue.getAvailabilityFuture();
    // the poll that empties the queue resets the availability that a failure has set
    return failure == null ? available : FutureCompletingBlockingQueue.AVAILABLE;
  }

  /** Interrupts the thread, because its items are no longer needed. */
  void end() {
    closed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  /**
   * Waits for a limited time until the thread has ended.
   *
   * @param millis 1 or more
   */
  void join(long millis) throws InterruptedException {
    if (thread != null) {
      thread.join(millis);
    }
  }
}
