package io.latimer.pipelines.flink;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.record.HangingRecordException;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.GroupCall;
import io.latimer.pipelines.stage.GroupEndedException;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.StageVersions;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageReference;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
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
import org.apache.flink.util.InstantiationUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a group of stages on micro-batches in device threads, so that the task's thread is free to
 * gather the next batch meanwhile; see {@link StageThreads}.
 *
 * <p>A batch is not lost in any failure: those in flight lie in Flink's state, and an error or a
 * time-out fails the task, which then starts again from its last checkpoint. Failures are thrown in
 * the task's mailbox: Flink's {@code completeExceptionally} would take the batch from its state
 * first, and a checkpoint between that and the end of the task would not contain it.
 *
 * <p>A record whose batches time out again and again is processed alone, and becomes a dead letter
 * if it then times out, too; see {@link TimedOutRecords}. The task goes on with new instances of
 * the stages in new threads, and the thread that hangs is abandoned with the old ones.
 *
 * <p>The state of the function itself is the job's name and the references of the indexes that the
 * stages use; see {@link JobNameState} and {@link IndexState}. Where indexes are swapped, the
 * gatherer says which ones later batches use, and the batches say it themselves.
 */
final class StageFunction extends RichAsyncFunction<Batch, Batch>
    implements CheckpointedFunction, SwappableStages {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(StageFunction.class);

  /** Of all subtasks of the process. */
  private static final SharedAlignments ALIGNMENTS = new SharedAlignments();

  /** Maximum time for a stage to finish its batches and close; then its threads are abandoned. */
  private static final Duration CLOSE = Duration.ofSeconds(30);

  /** Threads of a task that may hang: each has memory, and the device may be at fault. */
  static final int MAX_HANGING = 3;

  private final String job;

  /** The first instances; others are copies of them. */
  private final ArrayList<BatchStage> stages;

  /** Of the group. */
  private final String stage;

  private final Duration timeout;
  private final int attempts;
  private final Duration close;

  /** Whether the gatherer opens the stages. */
  private final boolean swapped;

  /** What later batches use, by the names of stages; null as long as the job file says it. */
  private transient volatile Map<String, IndexVersion> inUse;

  /** What stages have learned. */
  private transient LearnedStamps learned;

  /** Restored batches that use learned pairs which are not known yet. */
  private transient Queue<Work> unknown;

  /** Whether no more of these become known. */
  private transient boolean allLearned;

  /** Those in the state of the async operator. */
  private transient Set<Work> inFlight;

  private transient SwappableStages.Key key;

  private transient GlobalAggregateManager master;
  private transient JobNameState name;
  private transient ListState<IndexReference> references;
  private transient StageThreads threads;
  private transient boolean closing;
  private transient StageMetrics worked;
  private transient IndexMetrics indexes;
  private transient BatchSpans spans;
  private transient boolean traced;
  private transient TimedOutRecords timedOut;
  private transient AtomicInteger hanging;
  private transient ScheduledExecutorService timer;

  private transient volatile boolean failed;

  /**
   * Makes the function, which opens the stages with the indexes of the job file.
   *
   * @param job the job's name
   * @param stages of the group, one or more
   * @param timeout maximum time that the stages may work on a batch; zero for none
   * @param attempts how often a record's batches may time out before it is processed alone
   */
  StageFunction(String job, List<BatchStage> stages, Duration timeout, int attempts) {
    this(job, stages, timeout, attempts, false);
  }

  /**
   * Makes the function.
   *
   * @param swapped whether the gatherer opens the stages, and may swap their indexes
   */
  StageFunction(
      String job, List<BatchStage> stages, Duration timeout, int attempts, boolean swapped) {
    this(job, stages, timeout, attempts, CLOSE, swapped);
  }

  /**
   * Makes the function.
   *
   * @param close maximum time for the stages to finish their batches and close
   */
  StageFunction(
      String job,
      List<BatchStage> stages,
      Duration timeout,
      int attempts,
      Duration close,
      boolean swapped) {
    this.swapped = swapped;
    this.job = job;
    this.stages = new ArrayList<>(stages);
    this.stage = StageGroup.name(stages);
    this.timeout = timeout;
    this.attempts = attempts;
    this.close = close;
  }

  @Override
  public void setRuntimeContext(RuntimeContext context) {
    // the context that async functions see does not pass it on
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
      IndexState.check(one.name(), restored, one.indexRefs(), one.pinned());
    }
    if (!swapped) { // else the gatherer tells it
      IndexState.tellSwap(stage, restored, indexRefs());
    }
  }

  private List<IndexRef> indexRefs() {
    return stages.stream().flatMap(one -> one.indexRefs().stream()).toList();
  }

  private List<IndexRef> indexesInUse() {
    Map<String, IndexVersion> now = inUse;
    return now == null ? indexRefs() : now.values().stream().map(IndexVersion::index).toList();
  }

  /** Every subtask writes: one that has finished has no state, and the others need it. */
  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    name.write();
    references.update(IndexState.toAvro(indexesInUse()));
  }

  @Override
  public void open(OpenContext context) throws Exception {
    RuntimeContext runtime = getRuntimeContext();
    timedOut = new TimedOutRecords(stages.get(0).name(), master);
    hanging = new AtomicInteger();
    learned = new LearnedStamps(stages.stream().map(BatchStage::name).toList());
    unknown = new ConcurrentLinkedQueue<>();
    allLearned = !swapped; // there is no gatherer that tells it
    inFlight = ConcurrentHashMap.newKeySet();
    String name = "timer of " + stage + " " + runtime.getTaskInfo().getIndexOfThisSubtask();
    timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> StageThreads.daemon(runtime, work, name));
    indexes = new IndexMetrics(runtime.getMetricGroup());
    threads = new StageThreads(stages, runtime, indexes);
    await(swapped ? threads::choose : () -> threads.open(Map.of()));
    if (swapped) {
      key = SwappableStages.Key.of(runtime, stage);
      SwappableStages.OPEN.put(key, this);
    }
    worked = new StageMetrics(runtime.getMetricGroup(), stages, threads);
    spans = new BatchSpans(runtime.getMetricGroup(), stage, traced);
  }

  /** Does something in the first thread of the stages. */
  private void await(Callable<Void> opening) throws Exception {
    try {
      threads.submit(opening).get();
    } catch (ExecutionException e) {
      // the unwrapped reason, which the job's log shows
      throw e.getCause() instanceof Exception reason ? reason : e;
    }
  }

  @Override
  public void open(Map<String, IndexVersion> indexes) throws Exception {
    inUse = new LinkedHashMap<>(indexes);
    await(() -> threads.open(indexes));
  }

  /**
   * A stage that is open in the threads that the function had then; without a hold if they were
   * opening it.
   */
  private record Opened(
      String stage, IndexVersion index, StageThreads threads, StageVersions.Hold hold)
      implements Prepared {
    @Override
    public void close() {
      if (hold != null) {
        hold.close();
      }
    }
  }

  @Override
  public Prepared prepare(String stage, IndexVersion index) {
    StageThreads now = threads();
    return new Opened(stage, index, now, now.prepare(stage, index));
  }

  @Override
  public synchronized Prepared use(Prepared prepared) {
    Opened opened = (Opened) prepared;
    // after a call that hangs, the stages are open anew, but not what was prepared
    StageVersions.Hold hold =
        opened.threads() == threads
            ? opened.hold()
            : threads.prepare(opened.stage(), opened.index());
    Map<String, IndexVersion> next = new LinkedHashMap<>(inUse);
    IndexVersion before = next.put(opened.stage(), opened.index());
    inUse = next;
    StageVersions.Hold old = threads.use(opened.stage(), opened.index(), hold);
    return new Opened(opened.stage(), before, threads, old);
  }

  @Override
  public LearnedPair align(String stage, IndexVersion index, LearnedPair pair) {
    try (StageVersions.Hold hold = threads().prepare(stage, index)) {
      LearningStage open = (LearningStage) hold.open();
      return ALIGNMENTS.align(index.index(), pair, open::align);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException("the task ends", e);
    }
  }

  @Override
  public IndexRef compact(
      String stage, IndexVersion index, Path folder, String writer, BuildProgress progress) {
    try (StageVersions.Hold hold = threads().prepare(stage, index)) {
      return ((LearningStage) hold.open()).compact(folder, writer, progress);
    }
  }

  @Override
  public synchronized void learned(String stage, LearnedPairs pairs) {
    learned.set(stage, pairs);
    for (Work work : List.copyOf(unknown)) {
      if (!closing && learned.find(work.stamps()).isPresent()) {
        unknown.remove(work);
        start(work);
      }
    }
  }

  @Override
  public synchronized void allLearned() {
    allLearned = true;
    if (!unknown.isEmpty() && !closing) {
      throw unknownPairs(unknown.element());
    }
  }

  private UnrecoverableException unknownPairs(Work work) {
    return new UnrecoverableException(
        "a batch in the job's state uses learned pairs that the state does not have: "
            + learned.missing(work.stamps())
            + "; restore another checkpoint or savepoint");
  }

  @Override
  public long firstPairInFlight(String stage) {
    return inFlight.stream()
        .flatMap(work -> work.stamps().stream())
        .filter(stamp -> stamp.getStage().equals(stage))
        .filter(stamp -> stamp.getLearnedFrom() < stamp.getLearnedTo())
        .mapToLong(StageReference::getLearnedFrom)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  @Override
  public boolean awaitPairs() {
    return !unknown.isEmpty();
  }

  @Override
  public int batchesInFlight() {
    return inFlight.size();
  }

  private synchronized StageThreads threads() {
    return threads;
  }

  @Override
  public void asyncInvoke(Batch batch, ResultFuture<Batch> result) {
    worked.arrived();
    Work work = new Work(batch, result);
    inFlight.add(work);
    start(work);
  }

  private synchronized void start(Work work) {
    Optional<Map<String, IndexVersion>> indexes = learned.find(work.stamps());
    if (indexes.isPresent()) {
      work.on = threads;
      work.use = threads.use(indexes.get());
      threads.execute(work);
    } else if (allLearned) {
      fail(work.result, unknownPairs(work));
    } else {
      unknown.add(work); // Flink hands over restored batches before it opens the gatherer
    }
  }

  /** Goes on with a batch whose call ended because its threads do. */
  private synchronized void restart(Work work) {
    if (!closing) { // else the batch is in the state of an ended task
      start(work);
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

  /** Goes on with a batch after a call that hangs, and leaves its threads to themselves. */
  private synchronized void resume(Work work) throws Exception {
    if (closing) {
      return;
    }
    StageThreads old = threads;
    if (work.on != old) {
      start(work); // another call hangs there, and the stage was opened anew already
      return;
    }
    List<BatchStage> copies =
        InstantiationUtil.clone(stages, getRuntimeContext().getUserCodeClassLoader());
    StageThreads opened = new StageThreads(copies, getRuntimeContext(), indexes);
    threads = opened;
    opened.execute(() -> reopen(opened, work.result));
    start(work);
    old.end().forEach(waiting -> start((Work) waiting));
  }

  private void reopen(StageThreads opened, ResultFuture<Batch> result) {
    long start = System.nanoTime();
    try {
      limited(
          () -> opened.open(inUse == null ? Map.of() : inUse),
          () -> System.nanoTime() - start,
          () -> fail(result, new TimeoutException("stage " + stage + " " + reopening())));
      worked.reopened(opened);
    } catch (TooLate e) {
      LOG.info("stage {} opened after its time was over", stage);
    } catch (Throwable e) { // errors, too: the batches wait for the stage
      fail(result, e);
    }
  }

  private String reopening() {
    return "did not open within "
        + timeout.toMillis()
        + " ms after a thread of it hung; the job restarts from its last checkpoint";
  }

  /**
   * Does something for a limited time.
   *
   * @param worked how much of its time it has used, in nanoseconds
   * @param timedOut called when the time is over
   * @throws TooLate if it ends after that
   */
  private <T> T limited(Callable<T> task, LongSupplier worked, Runnable timedOut) throws Exception {
    if (timeout.isZero()) {
      return task.call();
    }
    AtomicBoolean over = new AtomicBoolean();
    Limit limit = new Limit(over, worked, timedOut);
    limit.start();
    T done = null;
    Throwable failure = null;
    try {
      done = task.call();
    } catch (Throwable e) { // errors, too: a late one must not fail a task that goes on
      failure = e;
    } finally {
      limit.cancel();
    }
    if (!over.compareAndSet(false, true)) {
      throw new TooLate(failure);
    }
    if (failure != null) {
      ExceptionUtils.rethrowException(failure);
    }
    return done;
  }

  /** Looks when the time of something may be over, and if it is not yet, once more. */
  private final class Limit implements Runnable {
    private final AtomicBoolean over;
    private final LongSupplier worked;
    private final Runnable timedOut;
    private Future<?> next;

    Limit(AtomicBoolean over, LongSupplier worked, Runnable timedOut) {
      this.over = over;
      this.worked = worked;
      this.timedOut = timedOut;
    }

    synchronized void start() {
      if (!over.get()) {
        // 1 ms at least: the clock of the timer and that of the work differ a little
        long left = timeout.toNanos() - worked.getAsLong();
        next =
            timer.schedule(
                this, Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)), TimeUnit.NANOSECONDS);
      }
    }

    @Override
    public void run() {
      if (worked.getAsLong() < timeout.toNanos()) {
        start();
      } else if (over.compareAndSet(false, true)) {
        timedOut.run();
      }
    }

    synchronized void cancel() {
      next.cancel(false);
    }
  }

  /** Something has ended, well or not, whose time was over. */
  private static final class TooLate extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLate(Throwable failure) {
      super(failure);
    }
  }

  /**
   * A batch on its way through the stage. The records that have timed out too often are processed
   * one by one, after the others. One thread at a time works on it.
   */
  private final class Work implements Runnable {
    private final ResultFuture<Batch> result;
    private final Batch batch;
    private final List<Envelope> records;
    private final Envelope[] done;
    private final List<Envelope> hung = new ArrayList<>();
    private final List<GroupCall.MemberCall> calls = new ArrayList<>();

    /** Where it runs, or waits to run. */
    private StageThreads on;

    private StageVersions.Use use;

    private boolean together;
    private long queued;

    /** When it began; 0 before that. */
    private long start;

    /** The next record that may have to be processed alone. */
    private int next;

    Work(Batch batch, ResultFuture<Batch> result) {
      this.batch = batch;
      this.result = result;
      this.records = batch.getEnvelopes();
      this.done = new Envelope[records.size()];
    }

    /** The indexes of the job file are not named in it, unless they may be swapped. */
    private List<StageReference> stamps() {
      return batch.getReferences();
    }

    @Override
    public void run() {
      if (failed) {
        // the task is failing, and waiting batches will be restored from its state
        return;
      }
      try {
        if (start == 0) {
          queued = Math.max(0, System.currentTimeMillis() - batch.getOpenedAt().toEpochMilli());
          start = System.nanoTime();
          worked.begun();
        }
        if (!together) {
          together();
          together = true;
        }
        oneByOne();
        List<Envelope> all = List.of(done);
        timedOut.forget(records.stream().filter(record -> !hung.contains(record)).toList());
        worked.update(all, queued, System.nanoTime() - start);
        spans.add(batch, all, start, calls);
        use.close();
        Batch complete = new Batch(all, batch.getOpenedAt(), batch.getReferences());
        result.complete(new EmittedResult(complete, () -> inFlight.remove(this)));
      } catch (TooLate e) {
        LOG.info("stage {} finished a call that had timed out", stage, e.getCause());
      } catch (GroupEndedException e) {
        restart(this);
      } catch (Throwable e) {
        // errors, too: the task must be told of any failure, or it would wait forever
        fail(result, e);
      }
    }

    private void together() throws Exception {
      List<Envelope> some = new ArrayList<>();
      for (Envelope record : records) {
        if (timedOut.count(record) < attempts) {
          some.add(record);
        }
      }
      if (some.isEmpty()) {
        return;
      }
      Iterator<Envelope> results = call(some, call -> failBatch(some, call)).iterator();
      for (int i = 0; i < done.length; i++) {
        if (timedOut.count(records.get(i)) < attempts) {
          done[i] = results.next();
        }
      }
    }

    private void oneByOne() throws Exception {
      for (; next < done.length; next++) {
        if (done[next] != null) {
          continue;
        }
        Envelope record = records.get(next);
        if (timedOut.count(record) > attempts) {
          refuse(record, timedOut.lastStage(record));
          continue;
        }
        try {
          done[next] = call(List.of(record), call -> abandon(record, call)).get(0);
        } catch (TooLate e) {
          hanging.decrementAndGet();
          throw e;
        }
      }
    }

    private List<Envelope> call(List<Envelope> some, Consumer<GroupCall> timedOut)
        throws Exception {
      GroupCall call = group().call(some, TimeUnit.MILLISECONDS.toNanos(queued));
      List<Envelope> results = limited(call::run, call::workedNanos, () -> giveUp(call, timedOut));
      List<GroupCall.MemberCall> parts = call.memberCalls();
      calls.addAll(parts);
      worked.update(parts);
      return results;
    }

    /** Before the stages are opened anew, here or in a task that starts again. */
    private void giveUp(GroupCall call, Consumer<GroupCall> timedOut) {
      try {
        call.abandon();
      } catch (RuntimeException e) {
        LOG.warn("stage {} could not give up a call that hangs", call.workingStage(), e);
      }
      timedOut.accept(call);
    }

    /** The stages on the batch's own indexes, which a restored batch may have to open. */
    private StageGroup group() {
      try {
        return use.group();
      } catch (IndexFormatException e) {
        throw new UnrecoverableException("stage of " + stage + ": " + e.getMessage(), e);
      }
    }

    /** Makes the next record, on which the stage hangs, a dead letter. */
    private void refuse(Envelope record, String stage) {
      hung.add(record);
      done[next] =
          DeadLetters.refuse(
              record,
              stage,
              new HangingRecordException(
                  "the stage did not finish this record by itself in "
                      + timeout.toMillis()
                      + " ms, after "
                      + attempts
                      + " batches with it had timed out; if the device is only slow, raise"
                      + " batch.timeout"));
    }

    /** A record that is processed alone has timed out. */
    private void abandon(Envelope record, GroupCall call) {
      String at = call.workingStage();
      count(List.of(record), at); // if the task starts again, it does not try once more
      if (hanging.incrementAndGet() > MAX_HANGING) {
        failTimedOut(at, List.of(record), ", and " + MAX_HANGING + " threads hang already");
        return;
      }
      try {
        LOG.warn("stage {} hangs on a record; a thread is abandoned", at);
        refuse(record, at);
        resume(this);
      } catch (Throwable e) { // the timer would keep it for itself
        fail(result, e);
      }
    }

    private void failBatch(List<Envelope> some, GroupCall call) {
      failed = true;
      String at = call.workingStage();
      int count = count(some, at);
      failTimedOut(at, some, count == 0 ? "" : ", attempt " + count + " of " + attempts);
    }

    /** Counts a time-out; 0 if that failed. */
    private int count(List<Envelope> some, String at) {
      try {
        return timedOut.timedOut(some, at);
      } catch (IOException | RuntimeException e) {
        LOG.warn("stage {}: the job master did not count a time-out", at, e);
        return 0;
      }
    }

    private void failTimedOut(String at, List<Envelope> some, String circumstance) {
      fail(
          result,
          new TimeoutException(
              "stage "
                  + at
                  + " did not finish "
                  + (some.size() == 1 ? "a record" : "a batch of " + some.size() + " records")
                  + " in "
                  + timeout.toMillis()
                  + " ms"
                  + circumstance
                  + "; the job restarts from its last checkpoint. If the device is only slow, raise"
                  + " batch.timeout or make batches smaller"));
    }
  }

  @Override
  public void close() throws Exception {
    if (key != null) {
      SwappableStages.OPEN.remove(key, this);
    }
    if (timer != null) {
      timer.shutdownNow();
    }
    StageThreads last = end();
    if (last != null && !last.awaitClosed(close.toMillis())) {
      LOG.warn(
          "stage {} did not finish its last batches and close within {} ms; its threads are"
              + " abandoned",
          stage,
          close.toMillis());
    }
  }

  private synchronized StageThreads end() {
    closing = true;
    if (threads != null) {
      threads.end(); // waiting batches belong to an ended task and are in its state
    }
    return threads;
  }
}
