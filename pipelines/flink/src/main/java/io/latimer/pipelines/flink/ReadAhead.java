package io.latimer.pipelines.flink;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.ToIntFunction;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;

/**
 * Reads the items of a source in a thread of its own, a bounded way ahead of the task. Whatever
 * ends the thread reaches the task, errors such as too little memory, too: a source that stopped in
 * silence would look like one without news.
 *
 * @param <T> items
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
  private boolean ended;

  /**
   * Makes one, which does not read yet.
   *
   * @param size of an item in bytes
   */
  ReadAhead(ToIntFunction<T> size) {
    this.size = size;
  }

  /**
   * Begins to read.
   *
   * @param name of the thread
   * @param next waits for the next item; null at the end
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
          return; // there may be no room, and nobody makes any
        }
        int weight = item == null ? 0 : Math.min(MAX_BYTES, size.applyAsInt(item));
        bytes.acquire(weight);
        queue.put(THREAD, new Read<>(item, weight));
      } while (item != null);
    } catch (Throwable e) {
      // this needs no room in the queue, and no memory
      failure = e;
      queue.notifyAvailable();
    }
  }

  /**
   * The next item, if there is one.
   *
   * @return null if there is none now, or no more
   * @throws IOException if reading failed with it, or with an exception that its message names
   * @throws Error if reading failed with it
   */
  T poll() throws IOException {
    Throwable reason = failure; // before the queue, so that all items come before it
    Read<T> read = queue.poll();
    if (read != null) {
      bytes.release(read.weight());
      ended = read.item() == null;
      return read.item();
    }
    if (reason instanceof IOException e) {
      throw e;
    }
    if (reason instanceof Error e) {
      throw e; // unchanged: Flink ends the process after some of them
    }
    if (reason != null) {
      throw new IOException(reason.toString(), reason);
    }
    return null;
  }

  /** Whether {@link #poll} has reached the end. */
  boolean hasEnded() {
    return ended;
  }

  /** Completed once {@link #poll} may have something to tell. */
  CompletableFuture<Void> available() {
    CompletableFuture<Void> available = queue.getAvailabilityFuture();
    // the poll that empties the queue takes back that a failure was announced
    return failure == null ? available : FutureCompletingBlockingQueue.AVAILABLE;
  }

  /** Interrupts the thread, whose items nobody needs any more. */
  void end() {
    closed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  /**
   * Waits until the thread has ended, unless that takes too long.
   *
   * @param millis 1 or more
   */
  void join(long millis) throws InterruptedException {
    if (thread != null) {
      thread.join(millis);
    }
  }
}
