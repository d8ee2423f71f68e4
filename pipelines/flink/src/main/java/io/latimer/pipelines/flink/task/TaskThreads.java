package io.latimer.pipelines.flink.task;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * Background threads of a task that end with it: closing interrupts those that still run or wait. A
 * leaked thread would keep the task's batches and the job's classes in memory.
 */
public final class TaskThreads implements AutoCloseable {
  private final ThreadFactory factory;
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Creates the owner of threads that a factory makes. */
  public TaskThreads(ThreadFactory factory) {
    this.factory = factory;
  }

  /** Starts a thread. */
  public Thread start(Runnable work) {
    Thread thread = factory.newThread(() -> run(work));
    thread.start();
    return thread;
  }

  private void run(Runnable work) {
    Thread thread = Thread.currentThread();
    running.add(thread);
    try {
      if (closed) { // close may have missed this thread
        thread.interrupt();
      }
      work.run();
    } finally {
      running.remove(thread);
    }
  }

  /** Interrupts the threads, also any started later, without waiting for them. */
  @Override
  public void close() {
    closed = true;
    running.forEach(Thread::interrupt);
  }
}
