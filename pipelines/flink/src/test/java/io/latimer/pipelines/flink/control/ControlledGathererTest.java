package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.TwoIndexStage;
import io.latimer.pipelines.flink.batch.BatchGathererTest;
import io.latimer.pipelines.flink.batch.ChainedStages;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.Batch;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageIndexVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.TwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class ControlledGathererTest {
  private static final String FIRST = "a".repeat(64);
  private static final String SECOND = "b".repeat(64);
  private static final String THIRD = "c".repeat(64);
  private static final String FOURTH = "d".repeat(64);

  private final Stages stages = new Stages();
  private MailboxExecutor mailbox;
  private TwoInputStreamOperatorTestHarness<Envelope, Tuple2<String, List<ControlCommand>>, Batch>
      harness;

  /** With a job master of its own. */
  private static final class Gatherer extends ControlledGatherer {
    private static final long serialVersionUID = 1L;

    private final transient GroupCommandsTest.Master master = new GroupCommandsTest.Master();
    private transient boolean ends;

    Gatherer(List<BatchStage> stages, MicroBatcher.Limits limits) {
      super("job", stages, List.of("work"), limits, 1, Duration.ofMinutes(1), List.of(), null);
    }

    /** Harnesses finish operators when they are closed, as tasks that fail do not. */
    @Override
    public void finish() throws Exception {
      if (ends) {
        super.finish();
      }
    }

    @Override
    GlobalAggregateManager master(StreamingRuntimeContext context) {
      return master;
    }
  }

  /** What the stages of the subtask were told. */
  private static final class Stages implements ChainedStages {
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void open(Map<String, IndexVersion> indexes) {
      events.add("open " + indexes.get("work").index().sha256().charAt(0));
    }

    @Override
    public Prepared prepare(String stage, IndexVersion version) {
      IndexRef index = version.index();
      if (index.uri().getPath().contains("bad")) {
        throw new OperatorException("bad is no index");
      }
      return () -> events.add("closed " + index.sha256().charAt(0));
    }

    @Override
    public Prepared use(Prepared prepared) {
      events.add("use");
      return () -> events.add("closed old");
    }

    @Override
    public LearnedPair align(String stage, IndexVersion index, LearnedPair pair) {
      throw new AssertionError("nothing is learned");
    }

    @Override
    public List<String> translate(String stage, List<String> texts, Duration patience) {
      throw new AssertionError("nothing is learned");
    }

    @Override
    public void learned(String stage, LearnedPairs pairs) {
      assertThat(pairs.isEmpty()).isTrue();
    }

    @Override
    public void allLearned() {
      // nothing is
    }

    @Override
    public long firstPairInFlight(String stage) {
      return Long.MAX_VALUE;
    }

    @Override
    public boolean hasBatchesWithoutPairs() {
      return false;
    }

    @Override
    public int batchesInFlight() {
      return 0;
    }

    @Override
    public boolean areBusy() {
      return false;
    }

    @Override
    public void whenDone(Runnable action) {
      // they are never busy
    }

    @Override
    public IndexRef compact(
        String stage, IndexVersion index, String folder, String writer, BuildProgress progress) {
      throw new AssertionError("nothing is learned");
    }
  }

  @BeforeEach
  void open() throws Exception {
    open(null, FIRST, false, 1, 0);
  }

  private void open(
      OperatorSubtaskState state, String index, boolean pinned, int subtasks, int subtask)
      throws Exception {
    open(state, BatchGathererTest.LIMITS, index, pinned, subtasks, subtask);
  }

  private void open(
      OperatorSubtaskState state,
      MicroBatcher.Limits limits,
      String index,
      boolean pinned,
      int subtasks,
      int subtask)
      throws Exception {
    open(state, limits, new TestStage("work", batch -> {}, index, pinned), subtasks, subtask);
  }

  private void open(
      OperatorSubtaskState state,
      MicroBatcher.Limits limits,
      BatchStage stage,
      int subtasks,
      int subtask)
      throws Exception {
    ControlledGatherer gatherer = new Gatherer(List.of(stage), limits);
    harness = new TwoInputStreamOperatorTestHarness<>(gatherer, 4, subtasks, subtask);
    harness.setup();
    // of the task; the harness has another one
    mailbox = gatherer.getContainingTask().getMailboxExecutorFactory().createExecutor(0);
    ChainedStages.Key key = key(subtask);
    ChainedStages.OPEN.put(key, stages);
    try {
      if (state != null) {
        harness.initializeState(state);
      }
      harness.open();
    } finally {
      ChainedStages.OPEN.remove(key);
    }
    harness.setProcessingTime(1_000);
  }

  private ChainedStages.Key key(int subtask) {
    return new ChainedStages.Key(harness.getEnvironment().getJobID(), "work", subtask, 0);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static ControlCommand swap(String id, String name, String sha256) {
    return swap(id, "work", name, sha256);
  }

  private static ControlCommand swap(String id, String index, String name, String sha256) {
    IndexReference reference =
        new IndexReference("translation-model", "file:/models/" + name, sha256, "");
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("job")
        .setTime(Instant.EPOCH)
        .setSwap(new StageIndexVersion(index, reference, 0L, 0L))
        .build();
  }

  private static ControlCommand set(String id, BatchLimits limits) {
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("job")
        .setTime(Instant.EPOCH)
        .setSet(limits)
        .build();
  }

  private void command(ControlCommand... commands) throws Exception {
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(commands))));
  }

  /** Runs mails until a command has ended. */
  private void awaitEnd(String id) throws Exception {
    while (statuses().stream().noneMatch(one -> one.startsWith(id + " -1"))) {
      while (mailbox.tryYield()) {
        // runs one
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private List<String> statuses() {
    List<String> statuses = new ArrayList<>();
    if (harness.getSideOutput(Records.STATUSES) != null) {
      for (StreamRecord<ControlStatus> one : harness.getSideOutput(Records.STATUSES)) {
        ControlStatus status = one.getValue();
        statuses.add(
            status.getCommand()
                + " "
                + status.getSubtask()
                + " "
                + status.getState()
                + status.getMessage());
      }
    }
    return statuses;
  }

  private void gather(String... texts) throws Exception {
    for (String text : texts) {
      harness.processElement1(new StreamRecord<>(Envelopes.of(text, 0), 0));
    }
  }

  private List<String> output() {
    List<String> output = new ArrayList<>();
    for (Object element : harness.getOutput()) {
      if (element instanceof Watermark mark) {
        output.add("watermark " + mark.getTimestamp());
      } else if (element instanceof StreamRecord<?> record) {
        Batch batch = (Batch) record.getValue();
        StageIndexVersion stamp = batch.getReferences().get(0);
        assertThat(stamp.getStage()).isEqualTo("work");
        output.add(
            Envelopes.texts(batch.getEnvelopes()).toString()
                + stamp.getReference().getSha256().charAt(0));
      } else {
        output.add(element.toString());
      }
    }
    return output;
  }

  @Test
  void aSwapTakesEffectBetweenBatches() throws Exception {
    gather("x", "y");
    command(swap("1", "second", SECOND));
    awaitEnd("1");
    gather("p", "q", "r");
    assertThat(output()).containsExactly("[x, y]a", "[p, q, r]b");
    assertThat(statuses()).containsExactly("1 0 loading", "1 0 in-use", "1 -1 in-use");
    assertThat(stages.events).startsWith("open a", "use");
  }

  @Test
  void aRefusedSwapLeavesTheOpenBatchAlone() throws Exception {
    gather("x");
    command(swap("1", "bad", SECOND));
    awaitEnd("1");
    command(swap("2", "m.lmx", SECOND)); // the path of the index in use
    awaitEnd("2");
    assertThat(output()).isEmpty();
    gather("y", "z");
    assertThat(output()).containsExactly("[x, y, z]a");
    assertThat(statuses()).contains("1 0 refusedbad is no index", "1 -1 refusedbad is no index");
    assertThat(statuses())
        .anyMatch(one -> one.contains("2 -1 refused") && one.contains("other content"));
    assertThat(stages.events).containsExactly("open a");
  }

  @Test
  void commandsDoNotHoldWatermarksBackNorMakeThem() throws Exception {
    harness.processWatermark1(new Watermark(500));
    harness.processWatermark2(new Watermark(100));
    harness.processWatermarkStatus2(WatermarkStatus.IDLE);
    harness.processWatermark2(new Watermark(9_000));
    harness.processWatermark1(new Watermark(600));
    assertThat(output()).containsExactly("watermark 500", "watermark 600");
  }

  @Test
  void theEndOfTheCommandsIsNotThatOfTheRecords() throws Exception {
    gather("x");
    harness.endInput2();
    assertThat(output()).isEmpty();
    harness.endInput1();
    assertThat(output()).containsExactly("[x]a");
  }

  @Test
  void aRestoredSubtaskGoesOnWithWhatIsInUse() throws Exception {
    command(swap("1", "second", SECOND));
    awaitEnd("1");
    restore(snapshot(), FIRST, false);
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]b");
    assertThat(stages.events).endsWith("open b");
  }

  @Test
  void aChangedJobFileWins() throws Exception {
    command(swap("1", "second", SECOND));
    awaitEnd("1");
    OperatorSubtaskState state = snapshot();
    restore(state, THIRD, true);
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]c");
  }

  @Test
  void aSwapThatIsNotDecidedIsCarriedOutAfterARestore() throws Exception {
    command(swap("1", "second", SECOND));
    OperatorSubtaskState state = snapshot(); // its mails have not run
    restore(state, FIRST, false);
    assertThat(statuses()).isEmpty();
    command(); // the round
    awaitEnd("1");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]b");
  }

  @Test
  void allSubtasksHaveTheStateAfterRescaling() throws Exception {
    command(swap("1", "second", SECOND));
    awaitEnd("1");
    OperatorSubtaskState state = snapshot();
    close();
    for (int subtask = 0; subtask < 3; subtask++) {
      OperatorSubtaskState own =
          AbstractStreamOperatorTestHarness.repartitionOperatorState(
              AbstractStreamOperatorTestHarness.repackageState(state), 4, 1, 3, subtask);
      open(own, FIRST, false, 3, subtask);
      gather("x", "y", "z");
      assertThat(output()).containsExactly("[x, y, z]b");
      close();
    }
  }

  @Test
  void limitsAreSetBetweenBatchesAndStatusesNameThem() throws Exception {
    gather("x");
    command(set("1", new BatchLimits(2, null, null)));
    awaitEnd("1");
    gather("p", "q", "r");
    command(set("2", new BatchLimits(null, 70, 5L)));
    awaitEnd("2");
    gather("s", "t");
    assertThat(output()).containsExactly("[x]a", "[p, q]a", "[r]a", "[s, t]a");
    assertThat(statuses())
        .contains(
            "1 0 loading",
            "1 -1 in-usebatch.max-records=2, batch.max-tokens=100, batch.max-wait=50ms")
        .endsWith("2 -1 in-usebatch.max-records=2, batch.max-tokens=70, batch.max-wait=5ms");
  }

  @Test
  void aRestoredSubtaskGoesOnWithTheLimitsThatWereSet() throws Exception {
    command(set("1", new BatchLimits(2, null, null)), swap("2", "second", SECOND));
    awaitEnd("2");
    restore(snapshot(), FIRST, false);
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y]b");
  }

  @Test
  void aLimitThatTheJobFileChangesIsAsTheJobFileSays() throws Exception {
    command(set("1", new BatchLimits(2, 70, null)));
    awaitEnd("1");
    OperatorSubtaskState state = snapshot();
    close();
    MicroBatcher.Limits old = BatchGathererTest.LIMITS;
    MicroBatcher.Limits limits = new MicroBatcher.Limits(4, old.tokens(), old.millis());
    open(state, limits, FIRST, false, 1, 0);
    command(set("2", new BatchLimits(null, null, 7L)));
    awaitEnd("2");
    assertThat(statuses())
        .endsWith("2 -1 in-usebatch.max-records=4, batch.max-tokens=70, batch.max-wait=7ms");
    gather("p", "q", "r", "s");
    assertThat(output()).containsExactly("[p, q, r, s]a");
  }

  @Test
  void aCommandForAStageThatIsGoneIsForgotten() throws Exception {
    ControlCommand gone = swap("1", "second", SECOND);
    command(gone); // its mails have not run
    gone.getSwap().setStage("gone"); // as if the stage had this name then
    restore(snapshot(), FIRST, false);
    command(swap("2", "third", THIRD));
    awaitEnd("2");
    assertThat(statuses()).noneMatch(one -> one.startsWith("1 "));
  }

  /** Restores a stage with a glossary. */
  private void restoreTwo(OperatorSubtaskState state) throws Exception {
    close();
    open(state, BatchGathererTest.LIMITS, new TwoIndexStage("work", FIRST, SECOND), 1, 0);
  }

  /** The indexes that the batches are stamped with. */
  private List<String> stamps() {
    return harness.extractOutputValues().stream()
        .map(
            batch ->
                batch.getReferences().stream()
                    .map(one -> one.getStage() + " " + one.getReference().getSha256().charAt(0))
                    .collect(Collectors.joining(", ")))
        .toList();
  }

  @Test
  void aGlossaryIsSwappedBesideTheMainIndexAndBothAreRestored() throws Exception {
    restoreTwo(null);
    gather("x");
    command(swap("1", "work.glossary", "third", THIRD));
    awaitEnd("1");
    gather("p");
    command(swap("2", "fourth", FOURTH));
    awaitEnd("2");
    gather("q", "r", "s");
    assertThat(stamps())
        .containsExactly(
            "work a, work.glossary b", "work a, work.glossary c", "work d, work.glossary c");
    assertThat(harness.getSideOutput(Records.STATUSES))
        .extracting(one -> one.getValue().getStage())
        .startsWith("work.glossary")
        .endsWith("work");
    restoreTwo(snapshot());
    gather("x", "y", "z");
    assertThat(stamps()).containsExactly("work d, work.glossary c");
  }

  @Test
  void aStateFromBeforeGlossariesCouldBeSwappedHasThatOfTheJobFile() throws Exception {
    command(swap("1", "third", THIRD));
    awaitEnd("1");
    restoreTwo(snapshot());
    gather("x", "y", "z");
    assertThat(stamps()).containsExactly("work c, work.glossary b");
  }

  @Test
  void aStateWithAGlossaryIsRestoredWithoutOne() throws Exception {
    restoreTwo(null);
    command(swap("1", "work.glossary", "third", THIRD));
    awaitEnd("1");
    restore(snapshot(), FIRST, false);
    gather("x", "y", "z");
    assertThat(stamps()).containsExactly("work a");
  }

  /** The status of the whole job is told by one subtask, whose input may end before. */
  @Test
  void theEndOfACommandIsToldBeforeTheInputEnds() throws Exception {
    command(swap("1", "second", SECOND));
    harness.endInput1();
    harness.endInput2();
    ((Gatherer) harness.getOperator()).ends = true;
    harness.getOperator().finish();
    assertThat(statuses()).anyMatch(one -> one.startsWith("1 -1 "));
  }

  private OperatorSubtaskState snapshot() throws Exception {
    return harness.snapshot(1, 1);
  }

  private void restore(OperatorSubtaskState state, String index, boolean pinned) throws Exception {
    close();
    open(state, index, pinned, 1, 0);
  }
}
