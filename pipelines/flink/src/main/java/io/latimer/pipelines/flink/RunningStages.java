package io.latimer.pipelines.flink;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.pipelines.stage.StageVersions;
import io.latimer.schemas.Batch;
import io.latimer.schemas.StageReference;
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
 * The open stages of a subtask and the batches in flight, each on the indexes that it is stamped
 * with. After a call that hangs, it goes on with new instances of the stages in new threads.
 */
final class RunningStages implements ChainedStages {
  private static final Logger LOG = LoggerFactory.getLogger(RunningStages.class);

  /** Of all subtasks of the process. */
  private static final SharedAlignments ALIGNMENTS = new SharedAlignments();

  /** Threads of a task that may hang: each has memory, and the device may be at fault. */
  static final int MAX_HANGING = 3;

  /** The first instances; others are copies of them. */
  private final ArrayList<BatchStage> stages;

  private final String group;
  private final RuntimeContext runtime;
  private final TimeLimit limit;
  private final IndexMetrics indexes;
  private final AtomicInteger hanging = new AtomicInteger();

  /** What stages have learned. */
  private final LearnedStamps learned;

  /** Restored batches that use learned pairs which are not known yet. */
  private final Queue<BatchWork> unknown = new ConcurrentLinkedQueue<>();

  /** Those in the state of the async operator. */
  private final Set<BatchWork> inFlight = ConcurrentHashMap.newKeySet();

  /**
   * Batches that are not done: those in {@link #threads}, and restored ones that wait for pairs.
   */
  private final AtomicInteger undone = new AtomicInteger();

  private volatile Runnable whenDone = () -> {};

  /** What later batches use, by the names of stages; null as long as the job file says it. */
  private volatile Map<String, IndexVersion> inUse;

  /** Whether no more of the unknown pairs become known. */
  private boolean allLearned;

  private StageThreads threads;
  private StageMetrics metrics;
  private boolean closing;
  private volatile boolean failed;

  /** Why the task fails; never completed otherwise. */
  private final CompletableFuture<Void> failure = new CompletableFuture<>();

  /**
   * Makes the stages, which are not open yet.
   *
   * @param stages of the group, one or more
   * @param limit maximum time to open them again
   */
  RunningStages(List<BatchStage> stages, RuntimeContext runtime, TimeLimit limit) {
    this.stages = new ArrayList<>(stages);
    this.group = StageGroup.name(stages);
    this.runtime = runtime;
    this.limit = limit;
    this.learned = new LearnedStamps(stages.stream().map(BatchStage::name).toList());
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
    allLearned = !swapped; // there is no gatherer that tells it
    await(() -> swapped ? threads().choose() : threads().open(Map.of()));
    metrics = new StageMetrics(runtime.getMetricGroup(), stages, threads);
    return metrics;
  }

  /** The indexes that later batches use. */
  List<IndexRef> indexesInUse() {
    Map<String, IndexVersion> now = inUse;
    List<IndexRef> indexes = new ArrayList<>();
    for (BatchStage stage : stages) {
      indexes.addAll(stage.indexRefs());
      if (now != null && now.containsKey(stage.name())) {
        indexes.set(indexes.size() - stage.indexRefs().size(), now.get(stage.name()).index());
      }
    }
    return indexes;
  }

  /**
   * Does something in the first thread of the stages. The task's thread waits for it here and sees
   * no mail, so a batch that fails the task meanwhile ends the wait.
   */
  private void await(Supplier<Void> opening) throws Exception {
    CompletableFuture<Void> opened = CompletableFuture.supplyAsync(opening, this::execute);
    try {
      CompletableFuture.anyOf(opened, failure).get();
    } catch (ExecutionException e) {
      // the unwrapped reason, which the job's log shows
      throw e.getCause() instanceof Exception reason ? reason : e;
    }
  }

  @Override
  public void open(Map<String, IndexVersion> indexes) throws Exception {
    inUse = new LinkedHashMap<>(indexes);
    await(() -> threads().open(indexes)); // new ones, if a restored batch hangs in the first
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
      return ALIGNMENTS.align(index.index(), open.prepare(pair), open::align);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException("the task ends", e);
    }
  }

  @Override
  public IndexRef compact(
      String stage, IndexVersion index, String folder, String writer, BuildProgress progress) {
    try (StageVersions.Hold hold = threads().prepare(stage, index)) {
      return ((LearningStage) hold.open()).compact(folder, writer, progress);
    }
  }

  @Override
  public synchronized void learned(String stage, LearnedPairs pairs) {
    learned.set(stage, pairs);
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
    threads.execute(work); // these are not ended meanwhile
  }

  /** Begins with a batch that is in the state now. */
  void add(BatchWork work) {
    inFlight.add(work);
    undone.incrementAndGet();
    start(work);
  }

  /** The stages are done with a batch. */
  void done() {
    undone.decrementAndGet();
    whenDone.run();
  }

  /** The result of a batch was emitted: it is not in the state any more. */
  void emitted(BatchWork work) {
    inFlight.remove(work);
  }

  /** Whether the task is failing: waiting batches will be restored from its state. */
  boolean haveFailed() {
    return failed;
  }

  /** The task will fail: no more batches begin. */
  void failing() {
    failed = true;
  }

  /** A call hangs. Returns whether its thread may be abandoned. */
  boolean hangs() {
    return hanging.incrementAndGet() <= MAX_HANGING;
  }

  /** A call that had hung has returned. */
  void returned() {
    hanging.decrementAndGet();
  }

  /** Begins with a batch, or goes on with it. */
  private synchronized void start(BatchWork work) {
    Optional<Map<String, IndexVersion>> indexes = learned.find(work.stamps());
    if (indexes.isPresent()) {
      work.runIn(threads, threads.use(indexes.get()));
      threads.execute(work);
    } else if (allLearned) {
      fail(work.result(), unknownPairs(work));
    } else {
      unknown.add(work); // Flink hands over restored batches before it opens the gatherer
    }
  }

  /** Goes on with a batch whose call ended because its threads do. */
  synchronized void restart(BatchWork work) {
    if (!closing) { // else the batch is in the state of an ended task
      start(work);
    }
  }

  /** Fails the task, with the batch still in its state. */
  void fail(ResultFuture<Batch> result, Throwable reason) {
    failed = true;
    failure.completeExceptionally(reason);
    result.complete(
        () -> {
          ExceptionUtils.rethrowException(reason);
          return List.of();
        });
  }

  /** Goes on with a batch after a call that hangs, and leaves its threads to themselves. */
  synchronized void resume(BatchWork work) throws Exception {
    if (closing) {
      return;
    }
    StageThreads old = threads;
    if (!work.runsIn(old)) {
      start(work); // another call hangs there, and the stage was opened anew already
      return;
    }
    List<BatchStage> copies = InstantiationUtil.clone(stages, runtime.getUserCodeClassLoader());
    StageThreads opened = new StageThreads(copies, runtime, indexes);
    threads = opened;
    opened.execute(() -> reopen(opened, work.result()));
    start(work);
    for (Runnable waiting : old.end()) {
      if (waiting instanceof BatchWork batch) {
        start(batch);
      } else {
        opened.execute(waiting); // the gatherer waits for it
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
    } catch (Throwable e) { // errors, too: the batches wait for the stage
      fail(result, e);
    }
  }

  private String reopening() {
    return "did not open within "
        + limit.millis()
        + " ms after a thread of it hung; the job restarts from its last checkpoint";
  }

  /** Ends the threads once the stages have finished what they work on; the last ones. */
  synchronized StageThreads end() {
    closing = true;
    threads.end(); // waiting batches belong to an ended task and are in its state
    return threads;
  }
}
