package io.latimer.pipelines.flink.batch;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.GroupCall;
import io.latimer.pipelines.stage.GroupEndedException;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.StageVersions;
import io.latimer.pipelines.stage.TimeLimit;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageIndexVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.InstantiationUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open stages of a subtask and its batches in flight, each on the index versions that it is
 * stamped with. When a call hangs, it continues with new instances of the stages in new threads.
 */
final class RunningStages implements ChainedStages {
  private static final Logger LOG = LoggerFactory.getLogger(RunningStages.class);

  /** Shared by all subtasks of the process. */
  private static final SharedAlignments ALIGNMENTS = new SharedAlignments();

  /**
   * Maximum number of hanging threads of a task: each holds memory, and the device may be at fault.
   */
  static final int MAX_HANGING = 3;

  /** The first instances, from which others are copied. */
  private final ArrayList<BatchStage> stages;

  private final String group;
  private final RuntimeContext runtime;
  private final TimeLimit limit;
  private final IndexMetrics indexes;
  private final AtomicInteger hanging = new AtomicInteger();

  /** The pairs that stages have learned. */
  private final LearnedStamps learned;

  /** Restored batches that wait for learned pairs which are not known yet. */
  private final Queue<BatchWork> unknown = new ConcurrentLinkedQueue<>();

  /** The batches in the state of the async operator. */
  private final Set<BatchWork> inFlight = ConcurrentHashMap.newKeySet();

  /**
   * Number of unfinished batches: those in {@link #threads}, and restored ones that wait for pairs.
   */
  private final AtomicInteger undone = new AtomicInteger();

  private volatile Runnable whenDone = () -> {};

  /**
   * The versions that later batches use, by {@link IndexName}; null while those of the job file
   * apply.
   */
  private volatile Map<String, IndexVersion> inUse;

  /** Whether all pairs are known, so that no batch needs to wait for them. */
  private boolean allLearned;

  private StageThreads threads;
  private StageMetrics metrics;
  private boolean closing;
  private volatile boolean failed;

  /** Why a call that is of no batch hangs; null if none does. */
  private volatile Throwable hung;

  /** Completed exceptionally when the task fails; never completed otherwise. */
  private final CompletableFuture<Void> failure = new CompletableFuture<>();

  /**
   * Creates the stages, not open yet.
   *
   * @param stages of the group, one or more
   * @param limit maximum time to reopen them
   */
  RunningStages(List<BatchStage> stages, RuntimeContext runtime, TimeLimit limit) {
    this.stages = new ArrayList<>(stages);
    this.group = StageGroup.name(stages);
    this.runtime = runtime;
    this.limit = limit;
    this.learned =
        new LearnedStamps(
            stages.stream().flatMap(stage -> stage.indexes().keySet().stream()).toList());
    this.indexes = new IndexMetrics(runtime.getMetricGroup());
    this.threads = new StageThreads(stages, runtime, indexes);
  }

  /**
   * Chooses devices, and opens the stages with the indexes of the job file, unless the gatherer
   * opens them.
   *
   * @return the metrics of the stages
   */
  StageMetrics begin(boolean swapped) throws Exception {
    allLearned = !swapped; // without swaps, no gatherer calls allLearned
    await(() -> swapped ? threads().choose() : threads().open(Map.of()));
    metrics = new StageMetrics(runtime.getMetricGroup(), stages, threads);
    return metrics;
  }

  /** The indexes that later batches use. */
  List<IndexRef> indexesInUse() {
    Map<String, IndexVersion> swapped = inUse;
    Map<String, IndexVersion> now = swapped == null ? Map.of() : swapped;
    List<IndexRef> indexes = new ArrayList<>();
    for (BatchStage stage : stages) {
      stage
          .indexes()
          .forEach(
              (name, configured) ->
                  indexes.add(now.containsKey(name) ? now.get(name).index() : configured));
    }
    return indexes;
  }

  /**
   * Runs something in the first thread of the stages and waits for it. The task's thread processes
   * no mail meanwhile, so a batch that fails the task ends the wait.
   */
  private void await(Supplier<Void> opening) throws Exception {
    CompletableFuture<Void> opened = CompletableFuture.supplyAsync(opening, this::execute);
    try {
      CompletableFuture.anyOf(opened, failure).get();
    } catch (ExecutionException e) {
      // unwrapped, so that the job's log shows the reason
      throw e.getCause() instanceof Exception reason ? reason : e;
    }
  }

  @Override
  public void open(Map<String, IndexVersion> indexes) throws Exception {
    inUse = new LinkedHashMap<>(indexes);
    await(() -> threads().open(indexes)); // new ones, if a restored batch hung in the first
  }

  /**
   * A stage opened on the version of an index in the threads of that time; without a hold if these
   * were still opening it.
   */
  private record Opened(
      String index, IndexVersion version, StageThreads threads, StageVersions.Hold hold)
      implements Prepared {
    @Override
    public void close() {
      if (hold != null) {
        hold.close();
      }
    }
  }

  @Override
  public Prepared prepare(String index, IndexVersion version) {
    StageThreads now = threads();
    return new Opened(index, version, now, hold(now, index, version));
  }

  /** Opens a stage on the version of an index, and on the versions in use of its other indexes. */
  private StageVersions.Hold hold(StageThreads in, String index, IndexVersion version) {
    return in.prepare(IndexName.parse(index).stage(), inUseWith(index, version));
  }

  private Map<String, IndexVersion> inUseWith(String index, IndexVersion version) {
    Map<String, IndexVersion> next = new LinkedHashMap<>(inUse);
    next.put(index, version);
    return next;
  }

  @Override
  public synchronized Prepared use(Prepared prepared) {
    Opened opened = (Opened) prepared;
    // if a call hung meanwhile, the stages were reopened, but not what was prepared
    StageVersions.Hold hold =
        opened.threads() == threads
            ? opened.hold()
            : hold(threads, opened.index(), opened.version());
    IndexVersion before = inUse.get(opened.index());
    inUse = inUseWith(opened.index(), opened.version());
    String stage = IndexName.parse(opened.index()).stage();
    return new Opened(opened.index(), before, threads, threads.use(stage, inUse, hold));
  }

  @Override
  public LearnedPair align(String index, IndexVersion version, LearnedPair pair) {
    try (StageVersions.Hold hold = hold(threads(), index, version)) {
      LearningStage open = (LearningStage) hold.open();
      return ALIGNMENTS.align(version.index(), open.prepare(pair), open::align);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException("the task ends", e);
    }
  }

  @Override
  public List<String> translate(String stage, List<String> texts, Duration patience) {
    boolean translates =
        stages.stream()
            .filter(one -> one.name().equals(stage))
            .anyMatch(one -> one.writes().contains(RecordPart.TRANSLATION));
    return translates
        ? begin(texts.stream().map(text -> Envelopes.of(text, "correction")).toList())
            .await(patience)
            .stream()
            .map(done -> done.getFailure() == null ? done.getTranslation().getText() : "")
            .toList()
        : List.of();
  }

  private synchronized Trial begin(List<Envelope> records) {
    Trial trial = new Trial(records, threads.use(inUse), limit, this::hangs);
    threads.execute(trial);
    return trial;
  }

  /** Fails the task because a call that is of no batch hangs, which batches may wait for. */
  private Throwable hangs(GroupCall call) {
    Throwable reason =
        new TimeoutException(
            "stage "
                + call.workingStage()
                + " did not translate the text of a correction in "
                + limit.millis()
                + " ms; the job restarts from its last checkpoint");
    hung = reason;
    inFlight.forEach(work -> fail(work.result(), reason));
    return reason;
  }

  @Override
  public IndexRef compact(
      String index, IndexVersion version, String folder, String writer, BuildProgress progress) {
    try (StageVersions.Hold hold = hold(threads(), index, version)) {
      return ((LearningStage) hold.open()).compact(folder, writer, progress);
    }
  }

  @Override
  public synchronized void learned(String index, LearnedPairs pairs) {
    learned.set(index, pairs);
    if (closing) {
      return;
    }
    for (BatchWork work : List.copyOf(unknown)) {
      if (learned.find(work.stamps()).isPresent()) {
        unknown.remove(work);
        start(work);
      } else if (learned.areDropped(work.stamps())) {
        throw unknownPairs(work);
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

  private UnrecoverableException unknownPairs(BatchWork work) {
    return new UnrecoverableException(
        "a batch in the job's state uses learned pairs or terms that the state does not have: "
            + learned.missing(work.stamps())
            + "; restore another checkpoint or savepoint");
  }

  @Override
  public long firstPairInFlight(String index) {
    return inFlight.stream()
        .flatMap(work -> work.stamps().stream())
        .filter(stamp -> stamp.getStage().equals(index))
        .filter(stamp -> stamp.getLearnedFrom() < stamp.getLearnedTo())
        .mapToLong(StageIndexVersion::getLearnedFrom)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  @Override
  public boolean hasBatchesWithoutPairs() {
    return !unknown.isEmpty();
  }

  @Override
  public int batchesInFlight() {
    return inFlight.size();
  }

  @Override
  public boolean areBusy() {
    return threads().areBusy(undone.get());
  }

  @Override
  public void whenDone(Runnable action) {
    whenDone = action;
  }

  private synchronized StageThreads threads() {
    return threads;
  }

  private synchronized void execute(Runnable work) {
    threads.execute(work); // the lock keeps these threads from being ended meanwhile
  }

  /** Starts to process a batch that is in the state now. */
  void add(BatchWork work) {
    inFlight.add(work);
    undone.incrementAndGet();
    Throwable reason = hung;
    if (reason == null) {
      start(work);
    } else {
      fail(work.result(), reason);
    }
  }

  /** A batch in the threads of the stages, or waiting for one. */
  private final class Run implements Runnable {
    final BatchWork work;

    Run(BatchWork work) {
      this.work = work;
    }

    @Override
    public void run() {
      if (failed) {
        return; // waiting batches will be restored from the state of the failing task
      }
      try {
        Batch complete = work.process(call -> hangs(work, call));
        work.result().complete(new EmittedResult(complete, () -> inFlight.remove(work)));
        undone.decrementAndGet();
        whenDone.run();
      } catch (TimeLimit.TooLate e) {
        hanging.decrementAndGet(); // counts for single records only: a whole batch fails the task
        LOG.info("stage {} finished a call that had timed out", group, e.getCause());
      } catch (GroupEndedException e) {
        restart(work);
      } catch (Throwable e) {
        // also errors: the task must learn of any failure, or it would wait forever
        fail(work.result(), e);
      }
    }
  }

  /** Handles a call that hangs: fails the task or, if it is of one record, continues without it. */
  private void hangs(BatchWork work, GroupCall call) {
    try {
      String at = call.workingStage();
      if (!work.isOneByOne()) {
        failed = true; // no more batches begin while the job master counts
        fail(work.result(), work.timedOut(at, work.countTimeOut(at)));
        return;
      }
      String unused = work.countTimeOut(at); // so that a restarted task does not try it again
      if (hanging.incrementAndGet() > MAX_HANGING) {
        String circumstance = ", and " + MAX_HANGING + " threads hang already";
        fail(work.result(), work.timedOut(at, circumstance));
        return;
      }
      LOG.warn("stage {} hangs on a record; a thread is abandoned", at);
      work.refuse(at);
      resume(work);
    } catch (Throwable e) { // the timer would swallow it
      fail(work.result(), e);
    }
  }

  /** Starts or resumes a batch. */
  private synchronized void start(BatchWork work) {
    Optional<Map<String, IndexVersion>> indexes = learned.find(work.stamps());
    if (indexes.isPresent()) {
      work.runIn(threads, threads.use(indexes.get()));
      threads.execute(new Run(work));
    } else if (allLearned) {
      fail(work.result(), unknownPairs(work));
    } else {
      unknown.add(work); // Flink adds restored batches before it opens the gatherer
    }
  }

  /** Resumes a batch whose call ended because its threads are ending. */
  private synchronized void restart(BatchWork work) {
    try {
      if (!closing) { // otherwise the task has ended, and the batch is in its state
        start(work);
      }
    } catch (Throwable e) { // such as a thread that cannot be started
      fail(work.result(), e);
    }
  }

  /** Fails the task, with the batch still in its state. */
  private void fail(ResultFuture<Batch> result, Throwable reason) {
    failed = true;
    failure.completeExceptionally(reason);
    result.complete(
        () -> {
          ExceptionUtils.rethrowException(reason);
          return List.of();
        });
  }

  /** Resumes a batch in new threads after a call that hangs, and abandons the old ones. */
  private synchronized void resume(BatchWork work) throws Exception {
    if (closing) {
      return;
    }
    StageThreads old = threads;
    if (!work.runsIn(old)) {
      start(work); // another call hangs there, and the stages were already reopened
      return;
    }
    List<BatchStage> copies = InstantiationUtil.clone(stages, runtime.getUserCodeClassLoader());
    StageThreads opened = new StageThreads(copies, runtime, indexes);
    threads = opened;
    opened.execute(() -> reopen(opened, work.result()));
    start(work);
    for (Runnable waiting : old.end()) {
      if (waiting instanceof Run run) {
        start(run.work);
      } else {
        opened.execute(waiting); // the gatherer waits for the stages to be opened
      }
    }
  }

  private void reopen(StageThreads opened, ResultFuture<Batch> result) {
    long start = System.nanoTime();
    try {
      limit.call(
          () -> opened.open(inUse == null ? Map.of() : inUse),
          () -> System.nanoTime() - start,
          () -> fail(result, new TimeoutException("stage " + group + " " + reopening())));
      metrics.reopened(opened);
    } catch (TimeLimit.TooLate e) {
      LOG.info("stage {} opened after its time was over", group);
    } catch (Throwable e) { // also errors: batches wait for the stages
      fail(result, e);
    }
  }

  private String reopening() {
    return "did not open within "
        + limit.millis()
        + " ms after a thread of it hung; the job restarts from its last checkpoint";
  }

  /** Ends the threads once their current work is finished, and returns the last ones. */
  synchronized StageThreads end() {
    closing = true;
    threads.end(); // queued batches belong to an ended task and are in its state
    return threads;
  }
}
