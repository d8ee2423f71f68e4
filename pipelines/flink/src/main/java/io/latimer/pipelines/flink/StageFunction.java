package io.latimer.pipelines.flink;

import io.latimer.operators.RecordException;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.IndexReference;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a stage on micro-batches in device threads, so that the task's thread is free to gather the
 * next batch meanwhile: one thread, in which the stage is opened and used, or as many as the stage
 * has batches in flight. It is closed when all of them have finished, in one more.
 *
 * <p>A batch is not lost in any failure: those in flight lie in Flink's state, and an error or a
 * time-out fails the task, which then starts again from its last checkpoint. Failures are thrown in
 * the task's mailbox: Flink's {@code completeExceptionally} would take the batch from its state
 * first, and a checkpoint between that and the end of the task would not contain it.
 *
 * <p>A record whose batches time out again and again is processed alone, and becomes a dead letter
 * if it then times out, too; see {@link TimedOutRecords}.
 *
 * <p>The state of the function itself is the job's name and the references of the indexes that the
 * stage uses; see {@link JobNameState} and {@link IndexState}.
 */
final class StageFunction extends RichAsyncFunction<Batch, Batch> implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(StageFunction.class);

  /** Maximum time for a stage to finish its batches and close; then its threads are abandoned. */
  private static final Duration CLOSE = Duration.ofSeconds(30);

  private final String job;
  private final BatchStage stage;
  private final Duration timeout;
  private final int attempts;
  private final Duration close;

  private transient GlobalAggregateManager master;
  private transient JobNameState name;
  private transient ListState<IndexReference> references;
  private transient ThreadPoolExecutor deviceThreads;
  private transient volatile SubtaskDevice device;
  private transient CountDownLatch closed;
  private transient StageMetrics worked;
  private transient TimedOutRecords timedOut;
  private transient ScheduledExecutorService timer;

  private transient volatile boolean failed;

  /**
   * Makes the function.
   *
   * @param job the job's name
   * @param timeout maximum time for a call of the stage; zero for none
   * @param attempts how often a record's batches may time out before it is processed alone
   */
  StageFunction(String job, BatchStage stage, Duration timeout, int attempts) {
    this(job, stage, timeout, attempts, CLOSE);
  }

  StageFunction(String job, BatchStage stage, Duration timeout, int attempts, Duration close) {
    this.job = job;
    this.stage = stage;
    this.timeout = timeout;
    this.attempts = attempts;
    this.close = close;
  }

  @Override
  public void setRuntimeContext(RuntimeContext context) {
    // the context that async functions see does not pass it on
    master = ((StreamingRuntimeContext) context).getGlobalAggregateManager();
    super.setRuntimeContext(context);
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    name = JobNameState.restore(context.getOperatorStateStore(), job);
    references = IndexState.restore(context.getOperatorStateStore());
    List<IndexRef> restored = IndexState.fromAvro(references.get());
    IndexState.check(stage.name(), restored, stage.indexRefs(), stage.pinned());
  }

  /** Every subtask writes: one that has finished has no state, and the others need it. */
  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    name.write();
    references.update(IndexState.toAvro(stage.indexRefs()));
  }

  @Override
  public void open(OpenContext context) throws Exception {
    worked = new StageMetrics(getRuntimeContext().getMetricGroup());
    String thread = stage.name() + " " + getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    timedOut = new TimedOutRecords(stage.name(), master);
    timer = Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "timer of " + thread));
    closed = new CountDownLatch(1);
    deviceThreads = new DeviceThreads(work -> daemon(work, "device of " + thread));
    try {
      deviceThreads.submit(this::openStage).get();
      int threads = stage.inFlight();
      deviceThreads.setMaximumPoolSize(threads);
      deviceThreads.setCorePoolSize(threads);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IndexFormatException other) {
        throw new UnrecoverableException(
            "stage " + stage.name() + ": " + other.getMessage(), other);
      }
      // the unwrapped reason, which the job's log shows
      throw e.getCause() instanceof Exception reason ? reason : e;
    }
  }

  private Void openStage() {
    device = SubtaskDevice.of(stage, getRuntimeContext());
    getRuntimeContext().getMetricGroup().gauge(BatchMetrics.GPU.id(), device.gauge());
    stage.open(device.device(), ResidentIndexes.process());
    return null;
  }

  private Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(getRuntimeContext().getUserCodeClassLoader());
    return thread;
  }

  /** All start together; when the last one has ended, the stage is closed. */
  private final class DeviceThreads extends ThreadPoolExecutor {
    DeviceThreads(ThreadFactory factory) {
      super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    }

    @Override
    protected void terminated() {
      // in its own thread: the pool's lock is held here, and awaitTermination needs it to time out
      getThreadFactory().newThread(StageFunction.this::closeStage).start();
    }
  }

  private void closeStage() {
    try {
      stage.close();
    } finally {
      if (device != null) {
        device.close();
      }
      closed.countDown();
    }
  }

  @Override
  public void asyncInvoke(Batch batch, ResultFuture<Batch> result) {
    deviceThreads.execute(() -> work(batch, result));
  }

  private void work(Batch batch, ResultFuture<Batch> result) {
    if (failed) {
      // the task is failing, and waiting batches will be restored from its state
      return;
    }
    try {
      long queued = Math.max(0, System.currentTimeMillis() - batch.getOpenedAt().toEpochMilli());
      long start = System.nanoTime();
      List<Envelope> done =
          apply(batch.getEnvelopes(), TimeUnit.MILLISECONDS.toNanos(queued), result);
      worked.update(done, queued, System.nanoTime() - start);
      result.complete(List.of(new Batch(done, batch.getOpenedAt())));
    } catch (TooLate e) {
      LOG.info("stage {} finished a batch that had timed out", stage.name());
    } catch (Throwable e) {
      // errors, too: the task must be told of any failure, or it would wait forever
      fail(result, e);
    }
  }

  /** Fails the task, with the batch still in its state. */
  private void fail(ResultFuture<Batch> result, Throwable reason) {
    failed = true;
    result.complete(
        () -> {
          ExceptionUtils.rethrowException(reason);
          return List.of();
        });
  }

  /** Processes the records together, except those that have timed out too often. */
  private List<Envelope> apply(List<Envelope> records, long queued, ResultFuture<Batch> result)
      throws Exception {
    List<Envelope> together = new ArrayList<>();
    for (Envelope record : records) {
      if (timedOut.count(record) < attempts) {
        together.add(record);
      }
    }
    if (together.size() == records.size()) {
      List<Envelope> done = call(records, queued, result);
      timedOut.forget(records);
      return done;
    }
    Iterator<Envelope> done =
        together.isEmpty()
            ? Collections.emptyIterator()
            : call(together, queued, result).iterator();
    List<Envelope> all = new ArrayList<>();
    for (Envelope record : records) {
      int count = timedOut.count(record);
      if (count < attempts) {
        all.add(done.next());
      } else if (count == attempts) {
        all.addAll(call(List.of(record), queued, result));
      } else {
        all.add(DeadLetters.refuse(record, stage.name(), hangs()));
      }
    }
    timedOut.forget(records);
    return all;
  }

  private RecordException hangs() {
    return new RecordException(
        "the stage did not finish this record by itself in "
            + timeout.toMillis()
            + " ms, after "
            + attempts
            + " batches with it had timed out; if the device is only slow, raise batch.timeout");
  }

  /** Calls the stage, for a limited time. */
  private List<Envelope> call(List<Envelope> records, long queued, ResultFuture<Batch> result) {
    if (timeout.isZero()) {
      return stage.apply(records, queued);
    }
    AtomicBoolean over = new AtomicBoolean();
    Future<?> limit =
        timer.schedule(
            () -> {
              if (over.compareAndSet(false, true)) {
                timeOut(records, result);
              }
            },
            timeout.toMillis(),
            TimeUnit.MILLISECONDS);
    try {
      List<Envelope> done = stage.apply(records, queued);
      if (!over.compareAndSet(false, true)) {
        throw new TooLate();
      }
      return done;
    } finally {
      limit.cancel(false);
    }
  }

  /** A call has finished that has timed out before. */
  private static final class TooLate extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private void timeOut(List<Envelope> records, ResultFuture<Batch> result) {
    failed = true;
    String attempt = "";
    try {
      attempt = ", attempt " + timedOut.timedOut(records) + " of " + attempts;
    } catch (IOException | RuntimeException e) {
      LOG.warn("stage {}: the job master did not count a time-out", stage.name(), e);
    }
    fail(
        result,
        new TimeoutException(
            "stage "
                + stage.name()
                + " did not finish "
                + (records.size() == 1 ? "a record" : "a batch of " + records.size() + " records")
                + " in "
                + timeout.toMillis()
                + " ms"
                + attempt
                + "; the job restarts from its last checkpoint. If the device is only slow, raise"
                + " batch.timeout or make batches smaller"));
  }

  @Override
  public void close() throws Exception {
    if (timer != null) {
      timer.shutdownNow();
    }
    if (deviceThreads == null) {
      return;
    }
    // waiting batches belong to an ended task and are in its state
    deviceThreads.getQueue().clear();
    deviceThreads.shutdown();
    if (!closed.await(close.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.warn(
          "stage {} did not finish its last batches and close within {} ms; its threads are"
              + " abandoned",
          stage.name(),
          close.toMillis());
    }
  }
}
