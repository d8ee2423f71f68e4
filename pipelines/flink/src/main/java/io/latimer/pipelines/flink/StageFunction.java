package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.IndexReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a stage on micro-batches in device threads, so that the task's thread is free to gather the
 * next batch meanwhile: one thread, in which the stage is opened and used, or as many as the stage
 * has batches in flight. It is closed when all of them have finished, in one more.
 *
 * <p>A batch is not lost in any failure: those in flight lie in Flink's state, and an error or a
 * time-out fails the task, which then starts again from its last checkpoint. The state of the
 * function itself is the references of the indexes that the stage uses; see {@link IndexState}.
 */
final class StageFunction extends RichAsyncFunction<Batch, Batch> implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(StageFunction.class);

  /** Maximum time for a stage to finish its batches and close; then its threads are abandoned. */
  private static final Duration CLOSE = Duration.ofSeconds(30);

  private final BatchStage stage;
  private final long timeoutMillis;
  private final Duration close;

  private transient ListState<IndexReference> references;
  private transient ThreadPoolExecutor deviceThreads;
  private transient volatile SubtaskDevice device;
  private transient CountDownLatch closed;
  private transient StageMetrics worked;

  private transient volatile boolean failed;

  StageFunction(BatchStage stage, long timeoutMillis) {
    this(stage, timeoutMillis, CLOSE);
  }

  StageFunction(BatchStage stage, long timeoutMillis, Duration close) {
    this.stage = stage;
    this.timeoutMillis = timeoutMillis;
    this.close = close;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    // union: every subtask sees all references, whatever the parallelism was
    references =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    "index-references", new AvroTypeInfo<>(IndexReference.class)));
    List<IndexRef> restored = IndexState.fromAvro(references.get());
    IndexState.check(stage.name(), restored, stage.indexRefs(), stage.pinned());
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    boolean first = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
    references.update(first ? IndexState.toAvro(stage.indexRefs()) : List.of());
  }

  @Override
  public void open(OpenContext context) throws Exception {
    worked = new StageMetrics(getRuntimeContext().getMetricGroup());
    ClassLoader loader = getRuntimeContext().getUserCodeClassLoader();
    String name =
        "device of "
            + stage.name()
            + " "
            + getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    closed = new CountDownLatch(1);
    deviceThreads =
        new DeviceThreads(
            work -> {
              Thread thread = new Thread(work, name);
              thread.setDaemon(true);
              thread.setContextClassLoader(loader);
              return thread;
            });
    try {
      deviceThreads.submit(this::openStage).get();
      int threads = stage.inFlight();
      deviceThreads.setMaximumPoolSize(threads);
      deviceThreads.setCorePoolSize(threads);
    } catch (ExecutionException e) {
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
          stage.apply(batch.getEnvelopes(), TimeUnit.MILLISECONDS.toNanos(queued));
      worked.update(done, queued, System.nanoTime() - start);
      result.complete(List.of(new Batch(done, batch.getOpenedAt())));
    } catch (Throwable e) {
      // errors, too: the task must be told of any failure, or it would wait forever
      failed = true;
      result.completeExceptionally(e);
    }
  }

  @Override
  public void timeout(Batch batch, ResultFuture<Batch> result) {
    // the batch is in the last checkpoint or will be read again: failing the task loses nothing
    result.completeExceptionally(
        new TimeoutException(
            "stage "
                + stage.name()
                + " did not finish a batch of "
                + batch.getEnvelopes().size()
                + " records in "
                + timeoutMillis
                + " ms; the job restarts from its last checkpoint. If the device is only slow,"
                + " raise batch.timeout or make batches smaller"));
  }

  @Override
  public void close() throws Exception {
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
