package io.latimer.operators.util;

import io.latimer.operators.OperatorException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * Runs the parts of one call in parallel: in the caller's thread and in workers, which all teams of
 * the process share, so that many operators do not make more threads than there are cores. The
 * caller works, too: a call ends even if all workers are busy, and a part may make a team work.
 */
public final class Team {
  /** The system property that says how many threads an operator uses on the CPU. */
  public static final String THREADS = "latimer.cpu.threads";

  private static final int MOST_THREADS = 1024;

  /** Idle workers end: the class loader of a job that is over can go. */
  private static final int IDLE_SECONDS = 10;

  private static final ThreadPoolExecutor WORKERS =
      new ThreadPoolExecutor(
          1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Team::worker);

  static {
    WORKERS.allowCoreThreadTimeOut(true);
  }

  private final int size;

  /**
   * Makes a team.
   *
   * @param size number of threads, including the caller's; 1 or more
   */
  public Team(int size) {
    this.size = size;
    hire(size - 1);
  }

  private static Thread worker(Runnable work) {
    Thread thread = new Thread(work, "latimer-worker");
    thread.setDaemon(true);
    return thread;
  }

  /** Allows as many workers as the largest team needs. */
  private static synchronized void hire(int workers) {
    if (workers > WORKERS.getMaximumPoolSize()) {
      WORKERS.setMaximumPoolSize(workers);
      WORKERS.setCorePoolSize(workers);
    }
  }

  /**
   * The threads of an operator that is not told how many: all cores, unless the system property
   * {@value #THREADS} says otherwise.
   *
   * @throws OperatorException if the property is not a whole number from 1 to 1024
   */
  public static int defaultThreads() {
    String wanted = System.getProperty(THREADS, "").strip();
    if (wanted.isEmpty()) {
      return Runtime.getRuntime().availableProcessors();
    }
    int threads = wanted.matches("[0-9]{1,4}") ? Integer.parseInt(wanted) : 0;
    if (threads < 1 || threads > MOST_THREADS) {
      throw new OperatorException(
          "the system property "
              + THREADS
              + " must be a whole number from 1 to "
              + MOST_THREADS
              + ", found "
              + wanted);
    }
    return threads;
  }

  /** As {@link #defaultThreads()}, limited to what an operator can use. */
  public static int defaultThreads(int most) {
    return Math.min(most, defaultThreads());
  }

  /** Number of threads that work in parallel. */
  public int size() {
    return size;
  }

  /**
   * Runs a task for every index from 0; each thread takes the next index when it has finished one.
   * The caller's takes the first. Returns when all have run; throws the first failure, after which
   * no part starts.
   *
   * <p>Working threads wake others while parts are left: a small call costs little more than its
   * parts, and a large one soon has the whole team.
   *
   * @param task receives the index of the part
   */
  public void run(int parts, IntConsumer task) {
    if (size == 1 || parts <= 1) {
      for (int i = 0; i < parts; i++) {
        task.accept(i);
      }
      return;
    }
    Work work = new Work(parts, task);
    work.run();
    work.await();
  }

  /**
   * Runs a task for every number below a size, on all threads, each of which takes a share of
   * neighbouring numbers at a time.
   *
   * @param share numbers that a thread takes at a time, 1 or more; the last share may be smaller
   * @see #run
   */
  public void forEach(int size, int share, IntConsumer task) {
    run(
        (size + share - 1) / share,
        part -> {
          int end = (int) Math.min(size, (part + 1L) * share);
          for (int i = part * share; i < end; i++) {
            task.accept(i);
          }
        });
  }

  /** Work on a part of a range: the numbers from one on, and below another. */
  @FunctionalInterface
  public interface Part {
    void run(int part, int from, int end);
  }

  /**
   * Divides the numbers below a size into parts of about equal length, and runs a task for each.
   *
   * @see #run
   */
  public void inParts(int size, int parts, Part task) {
    run(
        parts,
        part ->
            task.run(
                part,
                (int) ((long) size * part / parts),
                (int) ((long) size * (part + 1) / parts)));
  }

  /** The parts of one call. */
  private final class Work implements Runnable {
    /** Number of threads that each thread wakes when it starts. */
    private static final int WAKES = 2;

    /** Spins before a caller sleeps: some microseconds, less than a wake-up takes. */
    private static final int SPINS = 500;

    private final int parts;
    private final IntConsumer task;
    private final Thread caller = Thread.currentThread();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger threads = new AtomicInteger(1);
    private final AtomicReference<Throwable> failed = new AtomicReference<>();

    Work(int parts, IntConsumer task) {
      this.parts = parts;
      this.task = task;
    }

    @Override
    public void run() {
      int part = next.getAndIncrement();
      if (part < parts) {
        wakeOthers();
      }
      for (; part < parts; part = next.getAndIncrement()) {
        try {
          if (failed.get() == null) {
            task.accept(part);
          }
        } catch (RuntimeException | Error e) {
          failed.compareAndSet(null, e);
        }
        if (done.incrementAndGet() == parts) {
          LockSupport.unpark(caller);
        }
      }
    }

    private void wakeOthers() {
      for (int i = 0; i < WAKES && next.get() < parts; i++) {
        if (threads.getAndIncrement() >= size) {
          return;
        }
        WORKERS.execute(this);
      }
    }

    /** Not interruptible: a running part still writes to our memory. */
    void await() {
      for (int i = 0; i < SPINS && done.get() < parts; i++) {
        Thread.onSpinWait();
      }
      boolean interrupted = false;
      while (done.get() < parts) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      if (failed.get() instanceof RuntimeException e) {
        throw e;
      }
      if (failed.get() instanceof Error e) {
        throw e;
      }
    }
  }
}
