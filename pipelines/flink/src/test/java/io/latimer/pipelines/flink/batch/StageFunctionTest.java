package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.schemas.Batch;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StageFunctionTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aBatchThatTakesTooLongFailsTheTaskAndSaysWhatToDo() throws Exception {
    CountDownLatch device = new CountDownLatch(1);
    TestStage slow = new TestStage("slow", batch -> device.await());
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(new StageFunction("job", List.of(slow), Duration.ofMillis(20), 3));
    harness.open();
    harness.processElement(batch("a", "b"), 0);
    assertThatThrownBy(() -> runNextMail(harness))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("stage slow did not finish a batch of 2 records in 20 ms")
        .hasMessageContaining("raise batch.timeout");
    device.countDown();
    harness.close();
  }

  /**
   * A barrier may come between a failure and the end of the task. The checkpoint must then contain
   * the batch.
   */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aBatchThatFailsStaysInTheState() throws Exception {
    TestStage broken =
        new TestStage(
            "work",
            batch -> {
              throw new OperatorException("the device is lost");
            });
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(new StageFunction("job", List.of(broken), MINUTE, 3));
    // so a failure that is not thrown in the mailbox is told, which leaves the batch to be lost
    harness.getEnvironment().setExpectedExternalFailureCause(Throwable.class);
    harness.open();
    harness.processElement(batch("a"), 0);
    Throwable failure = catchThrowable(() -> runNextMail(harness));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    assertThat(harness.getOutput()).isEmpty();
    harness.close();

    OneInputStreamOperatorTestHarness<Batch, Batch> next =
        harness(new StageFunction("job", List.of(new TestStage("work", batch -> {})), MINUTE, 3));
    next.initializeState(state);
    next.open();
    next.endInput();
    assertThat(next.extractOutputValues())
        .singleElement()
        .satisfies(done -> assertThat(Envelopes.texts(done.getEnvelopes())).containsExactly("a"));
    next.close();
    assertThat(failure).hasMessage("stage work: the device is lost");
  }

  /** All are processed alone, and the thread of each that hangs is abandoned. */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void recordsThatHangAloneAreDeadLettersAndTheTaskGoesOn() throws Exception {
    HangingStage hanging = new HangingStage();
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(new StageFunction("job", List.of(hanging), LIMIT, 0), 3);
    harness.open();
    harness.processElement(batch("a", "hang 1", "b", "hang 2", "hang 3"), 0);
    harness.processElement(batch("c"), 0);
    while (harness.extractOutputValues().size() < 2) {
      runNextMail(harness);
    }
    assertThat(hanging.instances().opened).hasSize(4);
    assertThat(hanging.instances().closed).isEmpty();

    hanging.instances().device.countDown(); // now the calls that hung fail, and nothing else does
    while (hanging.instances().closed.size() < 3) {
      Thread.sleep(5);
    }
    harness.processElement(batch("d"), 0);
    harness.endInput();
    assertThat(harness.extractOutputValues().stream().map(StageFunctionTest::results))
        .containsExactly(List.of("A", "dead", "B", "dead", "dead"), List.of("C"), List.of("D"));
    harness.close();
    assertThat(hanging.instances().closed)
        .containsExactlyInAnyOrderElementsOf(hanging.instances().opened);
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aTaskFailsWhenTooManyOfItsThreadsHang() throws Exception {
    HangingStage hanging = new HangingStage();
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(new StageFunction("job", List.of(hanging), LIMIT, 0));
    harness.open();
    harness.processElement(batch("hang 1", "hang 2", "hang 3", "hang 4"), 0);
    assertThatThrownBy(() -> runNextMail(harness))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("did not finish a record in 3000 ms, and 3 threads hang already");
    hanging.instances().device.countDown();
    harness.close();
  }

  /** Flink hands over the batches of a task's state before it opens the gatherer. */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void theGathererOpensTheStagesThoughARestoredRecordHangs() throws Exception {
    HangingStage hanging = new HangingStage();
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(openedByTheGatherer(hanging, 0), 3);
    harness.open();
    harness.processElement(batch("hang"), 0);
    harness.processElement(batch("a"), 0);
    chained(harness).open(Map.of());
    while (harness.extractOutputValues().size() < 2) {
      runNextMail(harness);
    }
    assertThat(harness.extractOutputValues().stream().map(StageFunctionTest::results))
        .containsExactly(List.of("dead"), List.of("A"));
    hanging.instances().device.countDown();
    harness.close();
  }

  /** While it opens the gatherer, the task runs no mail that would tell it. */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aRestoredBatchThatTimesOutFailsTheGatherersOpening() throws Exception {
    HangingStage hanging = new HangingStage();
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(openedByTheGatherer(hanging, 3), 3);
    harness.open();
    harness.processElement(batch("hang", "a"), 0);
    assertThatThrownBy(() -> chained(harness).open(Map.of()))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("stage hanging did not finish a batch of 2 records");
    hanging.instances().device.countDown();
    harness.close();
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void ofTwoIndexesInOneFileOneIsSwapped() throws Exception {
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(openedByTheGatherer(new SameFileStage(), 0));
    harness.open();
    RunningStages running = (RunningStages) chained(harness, "work");
    assertThat(running.indexesInUse()).containsExactly(SameFileStage.FILE, SameFileStage.FILE);
    IndexRef other =
        new IndexRef("phrases", URI.create("file:/models/other.lpx"), "b".repeat(64), "2");
    running.open(Map.of("work.memory", IndexVersion.of(other)));
    assertThat(running.indexesInUse()).containsExactly(SameFileStage.FILE, other);
    harness.close();
  }

  /** Its memory is the file of its main index. */
  private static final class SameFileStage extends TestStage {
    private static final long serialVersionUID = 1L;

    static final IndexRef FILE =
        new IndexRef("phrases", URI.create("file:/models/p.lpx"), "a".repeat(64), "1");

    SameFileStage() {
      super("work", batch -> {});
    }

    @Override
    public List<IndexRef> indexRefs() {
      return List.of(FILE, FILE);
    }

    @Override
    public Map<String, IndexRef> indexes() {
      Map<String, IndexRef> indexes = new LinkedHashMap<>();
      indexes.put("work", FILE);
      indexes.put("work.memory", FILE);
      return indexes;
    }

    @Override
    public BatchStage on(String index, IndexVersion version) {
      return this;
    }
  }

  /** Batches that wait for their turn behind it would wait forever. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aTextThatHangsBesideTheBatchesFailsTheTask(boolean inFlight) throws Exception {
    HangingStage hanging = new HangingStage();
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(openedByTheGatherer(hanging, 3), 3);
    harness.open();
    ChainedStages stages = chained(harness);
    stages.open(Map.of());
    stages.allLearned();
    CompletableFuture<List<String>> translated =
        CompletableFuture.supplyAsync(
            () -> stages.translate("hanging", List.of("hang"), Duration.ofMinutes(1)));
    while (!hanging.instances().opened.get(0).busy) {
      Thread.sleep(5);
    }
    if (inFlight) {
      harness.processElement(batch("a"), 0);
    }
    String reason = "stage hanging did not translate the text of a correction in 3000 ms";
    assertThatThrownBy(translated::join)
        .hasCauseInstanceOf(OperatorException.class)
        .hasMessageContaining(reason);
    if (!inFlight) {
      harness.processElement(batch("a"), 0);
    }
    assertThatThrownBy(() -> runNextMail(harness))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining(reason);
    hanging.instances().device.countDown();
    harness.close();
  }

  private static StageFunction openedByTheGatherer(BatchStage stage, int attempts) {
    return new StageFunction("job", List.of(stage), LIMIT, attempts, true, SinkValues.NONE);
  }

  private static ChainedStages chained(OneInputStreamOperatorTestHarness<Batch, Batch> harness) {
    return chained(harness, "hanging");
  }

  private static ChainedStages chained(
      OneInputStreamOperatorTestHarness<Batch, Batch> harness, String stage) {
    StreamingRuntimeContext task =
        ((AbstractStreamOperator<?>) harness.getOperator()).getRuntimeContext();
    return ChainedStages.OPEN.get(ChainedStages.Key.of(task, stage));
  }

  /** Long enough for a record that does not hang, and to reopen a stage, on any machine. */
  private static final Duration LIMIT = Duration.ofSeconds(3);

  /** The translations of a batch's records; "dead" for a dead letter. */
  private static List<String> results(Batch batch) {
    return batch.getEnvelopes().stream()
        .map(done -> done.getFailure() == null ? done.getTranslation().getText() : "dead")
        .toList();
  }

  /** Hangs on some records until the device is there again, and then fails. */
  private static final class HangingStage extends TestStage {
    private static final long serialVersionUID = 1L;

    /** What a test's instances share; threads that hung may outlive their test. */
    private static final class Instances {
      final List<HangingStage> opened = new CopyOnWriteArrayList<>();
      final List<HangingStage> closed = new CopyOnWriteArrayList<>();
      final CountDownLatch device = new CountDownLatch(1);
    }

    private static final Map<String, Instances> OF_TESTS = new ConcurrentHashMap<>();

    private final String test = UUID.randomUUID().toString(); // copies have it, too
    private transient volatile boolean open;
    private transient volatile boolean busy;

    HangingStage() {
      super("hanging", batch -> {});
      OF_TESTS.put(test, new Instances());
    }

    Instances instances() {
      return OF_TESTS.get(test);
    }

    @Override
    public void open(Device device, ResidentIndexes residents) {
      open = true;
      instances().opened.add(this);
    }

    @Override
    public List<Result<RecordChange>> apply(StageBatch batch) {
      if (!open || busy) {
        throw new AssertionError("the stage is not open, or used by two threads");
      }
      busy = true;
      if (IntStream.range(0, batch.size())
          .anyMatch(i -> batch.source(i).getText().startsWith("hang"))) {
        try {
          instances().device.await();
        } catch (InterruptedException e) {
          throw new AssertionError("a device thread was interrupted", e);
        }
        busy = false;
        throw new AssertionError("the device was reset");
      }
      busy = false;
      return super.apply(batch);
    }

    @Override
    public void close() {
      if (!busy) {
        instances().closed.add(this);
      }
    }
  }

  @Test
  void anIndexThatIsNotTheOneReferredToEndsTheJob() throws Exception {
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        harness(new StageFunction("job", List.of(new ReplacedStage()), MINUTE, 3));
    assertThatThrownBy(harness::open)
        .isInstanceOf(UnrecoverableException.class)
        .hasMessage("stage replaced: m.lmx is not the file that was referred to");
    harness.close();
  }

  /** Its model was replaced. */
  private static final class ReplacedStage extends TestStage {
    private static final long serialVersionUID = 1L;

    ReplacedStage() {
      super("replaced", batch -> {});
    }

    @Override
    public void open(Device device, ResidentIndexes residents) {
      throw new IndexFormatException("m.lmx is not the file that was referred to");
    }
  }

  /** Waits for a mail to the task's thread, which this is, and runs it. */
  private static void runNextMail(OneInputStreamOperatorTestHarness<Batch, Batch> harness)
      throws Exception {
    harness.getTaskMailbox().take(TaskMailbox.MIN_PRIORITY).run();
  }

  private static Batch batch(String... texts) {
    return new Batch(
        Stream.of(texts).map(text -> Envelopes.of(text, 0)).toList(), Instant.EPOCH, List.of());
  }

  private static OneInputStreamOperatorTestHarness<Batch, Batch> harness(StageFunction function)
      throws Exception {
    return harness(function, 1);
  }

  private static OneInputStreamOperatorTestHarness<Batch, Batch> harness(
      StageFunction function, int inFlight) throws Exception {
    TypeSerializer<Batch> serializer = Records.BATCH.createSerializer(new SerializerConfigImpl());
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        new OneInputStreamOperatorTestHarness<>(
            new AsyncWaitOperatorFactory<>(
                function, 0, inFlight, AsyncDataStream.OutputMode.ORDERED),
            serializer);
    harness.setup(serializer);
    return harness;
  }

  /** A task that ends releases its threads to Flink, whatever a device does. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStageThatDoesNotCloseDoesNotKeepItsTask() throws Exception {
    CountDownLatch device = new CountDownLatch(1);
    ClosingStage stage = new ClosingStage(device);
    try {
      run(
          new StageFunction(
              "job", List.of(stage), MINUTE, 3, Duration.ofMillis(1), false, SinkValues.NONE));
      assertThat(stage.closed.getCount()).isOne();
    } finally {
      device.countDown();
    }
    stage.closed.await();
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStageIsClosedBeforeItsTaskEnds() throws Exception {
    ClosingStage stage = new ClosingStage(new CountDownLatch(0));
    run(new StageFunction("job", List.of(stage), MINUTE, 3));
    assertThat(stage.closed.getCount()).isZero();
  }

  /** One batch through a task; returns when it has ended. */
  private static void run(StageFunction function) throws Exception {
    OneInputStreamOperatorTestHarness<Batch, Batch> harness = harness(function);
    harness.open();
    harness.processElement(batch("a"), 0);
    harness.endInput();
    harness.close();
  }

  /** Closes when its device lets it. */
  private static final class ClosingStage extends TestStage {
    private static final long serialVersionUID = 1L;

    private final transient CountDownLatch device;
    private final transient CountDownLatch closed = new CountDownLatch(1);

    ClosingStage(CountDownLatch device) {
      super("closing", batch -> {});
      this.device = device;
    }

    @Override
    public void close() {
      try {
        device.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      closed.countDown();
    }
  }
}
