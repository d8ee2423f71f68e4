package io.latimer.pipelines.flink;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * Threads that work beside a task and end with it: what still waits when it is closed is
 * interrupted, whatever it waits for. A thread that is left would keep the task's batches, and the
 * classes of its job.
 */
final class TaskThreads implements AutoCloseable {
  private final ThreadFactory factory;
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  TaskThreads(ThreadFactory factory) {
    this.factory = factory;
  }

  /** Starts a thread. */
  Thread start(Runnable work) {
    Thread thread = factory.newThread(() -> run(work));
    thread.start();
    return thread;
  }

  private void run(Runnable work) {
    Thread thread = Thread.currentThread();
    running.add(thread);
    try {
      if (closed) { // before close could see it
        thread.interrupt();
      }
      work.run();
    } finally {
      running.remove(thread);
    }
  }

  /** Interrupts the threads, and those that are started later; does not wait for them. */
  @Override
  public void close() {
    closed = true;
    running.forEach(Thread::interrupt);
  }
}
