package io.latimer.pipelines.flink;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stage one of whose batches does not end until it may. Its indexes are in {@code /models},
 * wherever they really are.
 */
final class HeldStage implements LearningStage {
  private static final long serialVersionUID = 1L;

  private static int heldBatch;
  private static AtomicInteger batches;
  private static CountDownLatch reached;
  private static CountDownLatch goOn;

  private final BatchStage stage;
  private final boolean holds;

  /**
   * Wraps a stage.
   *
   * @param holds whether it counts batches and holds one
   */
  HeldStage(BatchStage stage, boolean holds) {
    this.stage = stage;
    this.holds = holds;
  }

  /**
   * Prepares the next job.
   *
   * @param heldBatch number of the batch to hold, from 1; 0 for none
   */
  static void reset(int heldBatch) {
    HeldStage.heldBatch = heldBatch;
    batches = new AtomicInteger();
    reached = new CountDownLatch(1);
    goOn = new CountDownLatch(1);
  }

  /** Waits for the batch to hold. */
  static void awaitBatch() throws InterruptedException {
    reached.await();
  }

  static void goOn() {
    goOn.countDown();
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    try {
      if (holds && batches.incrementAndGet() == heldBatch) {
        reached.countDown();
        goOn.await();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return stage.apply(batch);
  }

  @Override
  public List<IndexRef> indexRefs() {
    return stage.indexRefs().stream().map(HeldStage::moved).toList();
  }

  @Override
  public Map<String, IndexRef> indexes() {
    Map<String, IndexRef> all = new LinkedHashMap<>(stage.indexes());
    all.replaceAll((name, index) -> moved(index));
    return all;
  }

  private static IndexRef moved(IndexRef ref) {
    URI uri = URI.create("file:/models/" + Path.of(ref.uri()).getFileName());
    return new IndexRef(ref.kind(), uri, ref.sha256(), ref.version());
  }

  @Override
  public BatchStage on(String name, IndexVersion version) {
    IndexVersion there = new IndexVersion(there(version.index()), version.learned());
    return new HeldStage(stage.on(name, there), false);
  }

  @Override
  public BatchStage on(IndexRef index) {
    return new HeldStage(stage.on(there(index)), false);
  }

  @Override
  public LearningStage on(IndexRef index, LearnedPairs learned) {
    return new HeldStage(((LearningStage) stage).on(there(index), learned), false);
  }

  @Override
  public LearnedPair align(LearnedPair pair) {
    return ((LearningStage) stage).align(pair);
  }

  @Override
  public IndexRef compact(String folder, String writer, BuildProgress progress) {
    return ((LearningStage) stage).compact(folder, writer, progress);
  }

  /** An index where it really is: beside its own one of the same kind. */
  private IndexRef there(IndexRef index) {
    Path own =
        stage.indexRefs().stream()
            .filter(ref -> ref.kind().equals(index.kind()))
            .map(ref -> Path.of(ref.uri()))
            .findFirst()
            .orElseThrow();
    URI real = own.resolveSibling(Path.of(index.uri()).getFileName()).toUri();
    return new IndexRef(index.kind(), real, index.sha256(), index.version());
  }

  @Override
  public boolean pinned(IndexRef index) {
    return stage.pinned(there(index));
  }

  @Override
  public Set<RecordPart> reads() {
    return stage.reads();
  }

  @Override
  public Set<RecordPart> writes() {
    return stage.writes();
  }

  @Override
  public String kind() {
    return stage.kind();
  }

  @Override
  public String name() {
    return stage.name();
  }

  @Override
  public String device() {
    return stage.device();
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {
    stage.open(device, indexes);
  }

  @Override
  public void close() {
    stage.close();
  }
}
