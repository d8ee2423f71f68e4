package io.latimer.pipelines.flink.batch;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.flink.state.JobNameState;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.TimeLimit;
import io.latimer.schemas.Batch;
import io.latimer.schemas.IndexReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a group of stages on micro-batches in device threads, so that the task's thread can form the
 * next batch meanwhile; see {@link StageThreads}.
 *
 * <p>No failure loses a batch: those in flight are in Flink's state, and an error or a time-out
 * fails the task, which then restarts from its last checkpoint. Failures are thrown in the task's
 * mailbox: Flink's {@code completeExceptionally} would first remove the batch from the state, and a
 * checkpoint taken before the task ends would not contain it.
 *
 * <p>A record whose batches time out repeatedly is processed alone, and becomes a dead letter if it
 * times out again; see {@link TimedOutRecords}. The task continues with new instances of the stages
 * in new threads, and abandons the hanging thread with the old ones.
 *
 * <p>The state of the function itself is the job's name and the references of the indexes that the
 * stages use; see {@link JobNameState} and {@link IndexState}. If indexes may be swapped, the
 * gatherer decides which ones later batches use and stamps each batch with them.
 */
public final class StageFunction extends RichAsyncFunction<Batch, Batch>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(StageFunction.class);

  /**
   * Maximum time for the stages to finish their batches and close; after it, the threads are
   * abandoned.
   */
  private static final Duration CLOSE = Duration.ofSeconds(30);

  private final String job;

  private final ArrayList<BatchStage> stages;

  /** The name of the stages as a group. */
  private final String group;

  private final Duration timeout;
  private final int attempts;
  private final Duration close;

  /** Whether the gatherer opens the stages. */
  private final boolean swapped;

  private final SinkValues values;

  private transient ChainedStages.Key key;

  private transient GlobalAggregateManager master;
  private transient JobNameState name;
  private transient ListState<IndexReference> references;
  private transient boolean traced;
  private transient ScheduledExecutorService timer;
  private transient RunningStages running;
  private transient BatchWork.Common common;

  /**
   * Creates a function that opens the stages with the indexes of the job file.
   *
   * @param job the job's name
   * @param stages of the group, one or more
   * @param timeout maximum time that the stages may work on a batch; zero for none
   * @param attempts how often a record's batches may time out before it is processed alone
   */
  public StageFunction(String job, List<BatchStage> stages, Duration timeout, int attempts) {
    this(job, stages, timeout, attempts, false, SinkValues.NONE);
  }

  /**
   * Creates the function.
   *
   * @param swapped whether the gatherer opens the stages, and may swap their indexes
   * @param values encodes the records
   */
  public StageFunction(
      String job,
      List<BatchStage> stages,
      Duration timeout,
      int attempts,
      boolean swapped,
      SinkValues values) {
    this(job, stages, timeout, attempts, CLOSE, swapped, values);
  }

  /**
   * Creates the function.
   *
   * @param close maximum time for the stages to finish their batches and close
   */
  public StageFunction(
      String job,
      List<BatchStage> stages,
      Duration timeout,
      int attempts,
      Duration close,
      boolean swapped,
      SinkValues values) {
    this.swapped = swapped;
    this.values = values;
    this.job = job;
    this.stages = new ArrayList<>(stages);
    this.group = StageGroup.name(stages);
    this.timeout = timeout;
    this.attempts = attempts;
    this.close = close;
  }

  @Override
  public void setRuntimeContext(RuntimeContext context) {
    // the context of async functions hides it
    StreamingRuntimeContext full = (StreamingRuntimeContext) context;
    master = full.getGlobalAggregateManager();
    traced = BatchSpans.areReported(full.getTaskManagerRuntimeInfo().getConfiguration());
    super.setRuntimeContext(context);
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    name = JobNameState.restore(context.getOperatorStateStore(), job);
    references = IndexState.restore(context.getOperatorStateStore());
    List<IndexRef> restored = IndexState.fromAvro(references.get());
    for (BatchStage one : stages) {
      IndexState.check(one.name(), restored, one.indexRefs(), one::pinned);
    }
    if (!swapped) { // otherwise the gatherer logs it
      IndexState.tellSwap(group, restored, indexRefs());
    }
  }

  private List<IndexRef> indexRefs() {
    return stages.stream().flatMap(one -> one.indexRefs().stream()).toList();
  }

  /**
   * Writes the state in every subtask, because finished ones have none and the others still need
   * it.
   */
  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    name.write();
    references.update(IndexState.toAvro(running.indexesInUse()));
  }

  @Override
  public void open(OpenContext context) throws Exception {
    RuntimeContext runtime = getRuntimeContext();
    String name = "timer of " + group + " " + runtime.getTaskInfo().getIndexOfThisSubtask();
    timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> StageThreads.daemon(runtime, work, name));
    TimeLimit limit = new TimeLimit(timeout, timer);
    running = new RunningStages(stages, runtime, limit);
    StageMetrics metrics = running.begin(swapped);
    common =
        new BatchWork.Common(
            group,
            metrics,
            new BatchSpans(runtime.getMetricGroup(), group, traced),
            new TimedOutRecords(stages.get(0).name(), master),
            attempts,
            limit,
            values);
    key = ChainedStages.Key.of(runtime, group);
    ChainedStages.OPEN.put(key, running);
  }

  @Override
  public void asyncInvoke(Batch batch, ResultFuture<Batch> result) {
    common.metrics().arrived();
    running.add(new BatchWork(batch, result, common));
  }

  @Override
  public void close() throws Exception {
    if (key != null) {
      ChainedStages.OPEN.remove(key, running);
    }
    if (timer != null) {
      timer.shutdownNow();
    }
    if (running != null && !running.end().awaitClosed(close.toMillis())) {
      LOG.warn(
          "stage {} did not finish its last batches and close within {} ms; its threads are"
              + " abandoned",
          group,
          close.toMillis());
    }
  }
}
