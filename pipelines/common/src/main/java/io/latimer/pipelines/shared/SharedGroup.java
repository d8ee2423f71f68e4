package io.latimer.pipelines.shared;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.BatchThreads;
import io.latimer.pipelines.stage.GroupCall;
import io.latimer.pipelines.stage.GroupEndedException;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.TimeLimit;
import io.latimer.schemas.Envelope;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open stages with their threads, one for each batch in flight, and the waiting records of all
 * clients.
 *
 * <p>An idle thread moves waiting records into open batches, round-robin over the clients, and
 * takes a batch that is full or due. While all threads are busy, records wait outside of batches,
 * so that one client's many records do not delay another's few.
 */
final class SharedGroup {
  private static final Logger LOG = LoggerFactory.getLogger(SharedGroup.class);

  private final String name;
  private final StageGroup stages;
  private final BatchPolicy policy;
  private final Runnable forget;
  private final ScheduledThreadPoolExecutor timer;
  private final TimeLimit limit;
  private final BatchThreads threads;

  /** Guards everything below. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition work = lock.newCondition();
  private final FairQueue<Membership, Pending> waiting = new FairQueue<>();
  private final OpenBatches batches;

  /** The number of the last record. */
  private long last;

  /** Total tokens of all records that no thread has taken. */
  private long tokens;

  /** Number of threads that wait for work. */
  private int idle;

  /** The reason why the group ended; null until then. */
  private RuntimeException ended;

  private SharedGroup(SharedConfig config, StageGroup stages, Runnable forget) {
    this.name = stages.name();
    this.stages = stages;
    this.policy = config.batches();
    this.forget = forget;
    this.batches = new OpenBatches(policy);
    this.timer =
        new ScheduledThreadPoolExecutor(1, work -> thread(work, "timer of shared " + name));
    timer.setRemoveOnCancelPolicy(true);
    this.limit = new TimeLimit(config.timeout(), timer);
    this.threads = new BatchThreads(work -> thread(work, "batches of shared " + name), this::close);
  }

  /**
   * Opens copies of the stages of a configuration.
   *
   * @param devices of the stages
   * @param forget makes later clients open new stages, because these are lost
   * @throws OperatorException if a stage cannot be opened; the others are closed then
   */
  static SharedGroup open(
      SharedConfig config, List<Device> devices, ResidentIndexes indexes, Runnable forget) {
    List<BatchStage> copies = new ArrayList<>();
    config.stages().forEach(stage -> copies.add(copy(stage)));
    StageGroup stages =
        new StageGroup(copies, work -> thread(work, "device of shared " + StageGroup.name(copies)));
    try {
      for (int i = 0; i < copies.size(); i++) {
        open(copies.get(i), devices.get(i), indexes);
      }
    } catch (RuntimeException | Error e) {
      try {
        stages.close();
      } catch (RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
    SharedGroup group = new SharedGroup(config, stages, forget);
    try {
      group.start(stages.inFlight());
      return group;
    } catch (RuntimeException | Error e) { // such as a thread that cannot be started
      group.end(new OperatorException("the threads of shared stages did not start", e));
      throw e;
    }
  }

  private static void open(BatchStage stage, Device device, ResidentIndexes indexes) {
    try {
      stage.open(device, indexes);
      LOG.info("shared stage {} is open: {}", stage.name(), device);
    } catch (RuntimeException | Error e) {
      e.addSuppressed(new OperatorException("in shared stage " + stage.name()));
      throw e;
    }
  }

  /** Copies a stage, unopened, because a configuration may be opened again before it is closed. */
  private static BatchStage copy(BatchStage stage) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(stage);
      out.flush();
      try (ObjectInputStream in =
          new OfLoader(
              new ByteArrayInputStream(bytes.toByteArray()), stage.getClass().getClassLoader())) {
        return (BatchStage) in.readObject();
      }
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalStateException("stage " + stage.name() + " cannot be copied", e);
    }
  }

  /** Deserializes objects with the classes of a class loader. */
  private static final class OfLoader extends ObjectInputStream {
    private final ClassLoader loader;

    OfLoader(ByteArrayInputStream in, ClassLoader loader) throws IOException {
      super(in);
      this.loader = loader;
    }

    @Override
    protected Class<?> resolveClass(java.io.ObjectStreamClass type)
        throws IOException, ClassNotFoundException {
      try {
        return Class.forName(type.getName(), false, loader);
      } catch (ClassNotFoundException e) {
        return super.resolveClass(type); // primitive types
      }
    }
  }

  /** Creates a thread that does not inherit anything of its creator, such as a class loader. */
  @SuppressWarnings("removal") // otherwise a thread keeps the classes of all its callers in memory
  static Thread thread(Runnable work, String name) {
    return AccessController.doPrivileged(
        (PrivilegedAction<Thread>)
            () -> {
              Thread thread = new Thread(null, work, name, 0, false);
              thread.setDaemon(true);
              thread.setContextClassLoader(SharedGroup.class.getClassLoader());
              return thread;
            });
  }

  private void start(int count) {
    threads.grow(count);
    for (int i = 0; i < count; i++) {
      threads.execute(this::work);
    }
  }

  /** Adds a record, or fails it if the group has ended. */
  void add(Pending record) {
    RuntimeException reason;
    lock.lock();
    try {
      reason = ended;
      if (reason == null) {
        record.number = ++last;
        waiting.add(record.membership, record);
        tokens += record.tokens;
        if (idle > 0 && (waiting.size() + batches.size() == 1 || mayBeDue())) {
          work.signal();
        }
      }
    } finally {
      lock.unlock();
    }
    if (reason != null) {
      record.fail(reason);
    }
  }

  /** Whether there may be a batch to take; if false, there is none unless one became due. */
  private boolean mayBeDue() {
    return waiting.size() + batches.size() >= policy.minRecords()
        || tokens >= policy.limits().tokens();
  }

  /** Makes the current records of a client not wait for others. */
  void flush(Membership membership) {
    lock.lock();
    try {
      membership.flushed = last;
      batches.flush(membership);
      if (idle > 0) {
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Removes a record that its caller has cancelled; one in a batch is skipped when that runs. */
  void remove(Pending record) {
    lock.lock();
    try {
      if (waiting.remove(record.membership, record)) {
        tokens -= record.tokens;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Fails the waiting records of a client; those in the open batch remain there. */
  void drop(Membership membership) {
    List<Pending> dropped;
    lock.lock();
    try {
      dropped = waiting.removeAll(membership);
      dropped.forEach(record -> tokens -= record.tokens);
    } finally {
      lock.unlock();
    }
    dropped.forEach(record -> record.fail(new IllegalStateException("the client was closed")));
  }

  private void work() {
    try {
      boolean goesOn = true;
      while (goesOn) {
        goesOn = runNext();
      }
    } catch (Throwable e) { // nothing may wait forever for this thread
      LOG.error("a thread of shared stages {} failed", name, e);
      forget.run();
      end(new OperatorException("a thread of shared stages " + name + " failed: " + e, e));
    }
  }

  /** Runs the next batch, in a method of its own so that a waiting thread does not retain it. */
  private boolean runNext() {
    List<Pending> batch = next();
    if (batch != null) {
      run(batch);
    }
    return batch != null;
  }

  /** The next batch; null if the group has ended. */
  private List<Pending> next() {
    lock.lock();
    try {
      while (ended == null) {
        fill();
        List<Pending> batch = batches.poll();
        if (batch != null) {
          batch.forEach(record -> tokens -= record.tokens);
          if (idle > 0 && !(waiting.size() == 0 && batches.isEmpty())) {
            work.signal(); // another thread watches when open batches are due
          }
          return batch;
        }
        idle++;
        if (batches.isEmpty()) {
          work.awaitUninterruptibly();
        } else {
          boolean unused = work.await(batches.left(), TimeUnit.MILLISECONDS);
        }
        idle--;
      }
      return null;
    } catch (InterruptedException e) {
      throw new IllegalStateException("the threads of stages must not be interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  /** Moves waiting records into open batches until one is full. */
  private void fill() {
    while (!batches.hasFull()) {
      Pending record = waiting.poll();
      if (record == null) {
        return;
      }
      batches.add(record);
    }
  }

  /** Runs the records of a batch, except those that their callers have cancelled. */
  private void run(List<Pending> taken) {
    try {
      List<Pending> batch = taken.stream().filter(record -> !record.isOver()).toList();
      if (!batch.isEmpty()) {
        call(batch);
      }
    } catch (Throwable e) { // such as out of memory: the callers wait
      taken.forEach(record -> record.fail(e));
      throw e;
    }
  }

  private void call(List<Pending> batch) {
    long began = System.nanoTime();
    long first = batch.stream().mapToLong(record -> record.arrived).min().orElse(began);
    GroupCall call =
        stages.call(batch.stream().map(record -> record.envelope).toList(), began - first);
    List<Envelope> results = null;
    Throwable failure = null;
    try {
      results = call.run(limit, hanging -> hang(hanging, batch));
    } catch (TimeLimit.TooLate e) {
      LOG.info("shared stages {} finished a batch that had timed out", name, e.getCause());
      return;
    } catch (GroupEndedException e) {
      failure = new OperatorException("the stages were closed", e);
    } catch (Throwable e) { // also errors: the callers wait
      failure = e;
      forget.run(); // new clients must not share stages that may have lost their device
    }
    tell(batch, results, began, System.nanoTime() - began);
    for (Pending record : batch) { // all of them first, because completing a result may submit more
      boolean unused = record.end();
    }
    for (int i = 0; i < batch.size(); i++) {
      if (failure == null) {
        batch.get(i).complete(results.get(i));
      } else {
        batch.get(i).fail(failure);
      }
    }
  }

  private void tell(List<Pending> batch, List<Envelope> results, long began, long nanos) {
    Map<Membership, int[]> counts = new HashMap<>();
    Map<Membership, Long> queued = new HashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      Pending record = batch.get(i);
      int[] count = counts.computeIfAbsent(record.membership, membership -> new int[2]);
      count[0]++;
      boolean failed = results == null || results.get(i).getFailure() != null;
      count[1] += failed && !record.isOver() ? 1 : 0;
      queued.merge(record.membership, began - record.arrived, Math::max);
    }
    counts.forEach(
        (membership, count) -> {
          try {
            membership
                .metrics()
                .ended(
                    new ClientMetrics.Batch(
                        batch.size(), count[0], count[1], queued.get(membership), nanos));
          } catch (Throwable e) { // also errors: the callers wait
            LOG.warn("the metrics of a client failed", e);
          }
        });
  }

  private void hang(GroupCall call, List<Pending> batch) {
    OperatorException reason =
        new OperatorException(
            "stage "
                + call.workingStage()
                + " did not finish a batch in "
                + limit.millis()
                + " ms; if the device is only slow, raise batch.timeout");
    LOG.error("shared stages {} are given up: {}", name, reason.getMessage());
    forget.run();
    end(reason);
    batch.forEach(record -> record.fail(reason));
  }

  /** Ends the group and fails the records that no thread has taken. Ending twice is safe. */
  void end(RuntimeException reason) {
    List<Pending> left = new ArrayList<>();
    lock.lock();
    try {
      if (ended != null) {
        return;
      }
      ended = reason;
      left.addAll(batches.records());
      for (Pending record = waiting.poll(); record != null; record = waiting.poll()) {
        left.add(record);
      }
      work.signalAll();
    } finally {
      lock.unlock();
    }
    stages.end();
    List<Runnable> unused = threads.end();
    left.forEach(record -> record.fail(reason));
  }

  private void close() {
    try {
      stages.close();
    } catch (RuntimeException e) {
      LOG.warn("shared stages {} did not close", name, e);
    } finally {
      timer.shutdownNow();
    }
  }

  /** Waits until the stages are closed, if the group has ended. */
  void awaitClosed(Duration most) {
    lock.lock();
    try {
      if (ended == null) {
        return;
      }
    } finally {
      lock.unlock();
    }
    try {
      if (!threads.awaitClosed(most.toMillis())) {
        LOG.warn("shared stages {} did not end in {} s; they are left", name, most.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
