package io.latimer.pipelines.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.flink.NgramStages;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.TablePart;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tables that take long are made beside the task. */
@Timeout(120)
class MergeOperatorTest {
  private static final TableStage<NgramTable> NGRAMS =
      NgramStages.of("order: 1, window: 10ms, by-feed: true, running: false");

  /** As many feeds as make more tables due than may be before a watermark is held. */
  private static final int FEEDS = 20;

  /** Tables that may be made. */
  private static Semaphore allowed;

  /** The thread of the test is the task's. */
  private static volatile Thread task;

  private static volatile int tasks;

  @BeforeEach
  void reset() {
    allowed = new Semaphore(0);
    task = Thread.currentThread();
  }

  private static MergeHarness harness() throws Exception {
    return MergeHarness.of(new Slow());
  }

  private static MergeHarness waiting(Duration maxWait) throws Exception {
    return new MergeHarness(
        new KeyedOneInputStreamOperatorTestHarness<>(
            new MergeOperator<>(new TableMerger<>("job", new Slow()), maxWait),
            TablePart::getGroup,
            Types.STRING));
  }

  private static void add(MergeHarness harness, String feed, long time, String text)
      throws Exception {
    harness.add(MergeHarness.parts(NGRAMS, feed, time, text));
  }

  private static List<String> tables(MergeHarness harness) {
    List<String> lines = new ArrayList<>();
    for (StreamRecord<? extends NgramTable> record : harness.of().getRecordOutput()) {
      NgramTable table = record.getValue();
      lines.add(
          table.getFeed() + " " + table.getEnd().toEpochMilli() + " " + NgramStages.counts(table));
      assertThat(record.getTimestamp()).isEqualTo(table.getEnd().toEpochMilli() - 1);
    }
    return lines;
  }

  private static void addFeeds(MergeHarness harness, long time) throws Exception {
    for (int feed = 0; feed < FEEDS; feed++) {
      add(harness, "f" + feed, time, "a");
    }
  }

  @Test
  void manyTablesThatAreDueHoldTheWatermarkButNoBarrier() throws Exception {
    try (MergeHarness harness = waiting(Duration.ofMillis(10))) {
      harness.of().open();
      addFeeds(harness, 0);
      addFeeds(harness, 10);
      addFeeds(harness, 20);
      harness.of().processWatermark(9);
      harness.of().processWatermark(19);
      harness.of().processWatermark(29); // replaces the one before
      harness.of().snapshot(1, 1);
      assertThat(tables(harness)).isEmpty();
      assertThat(harness.of().numEventTimeTimers()).isEqualTo(2 * FEEDS);
      allowed.release(3 * FEEDS);
      harness.of().endInput();
      assertThat(tables(harness)).hasSize(3 * FEEDS).doesNotHaveDuplicates();
      assertThat(tables(harness).subList(0, FEEDS)).allMatch(line -> line.endsWith(" 10 {a=1}"));
      assertThat(harness.of().numKeyedStateEntries()).isZero();
    }
  }

  @Test
  void withoutBarriersTheInputWaitsForASlowStage() throws Exception {
    try (MergeHarness harness = waiting(Duration.ofNanos(Long.MAX_VALUE))) {
      harness.of().open();
      addFeeds(harness, 0);
      addFeeds(harness, 10);
      harness.of().processWatermark(9);
      allowed.release(2 * FEEDS);
      harness.of().processWatermark(19);
      assertThat(tables(harness)).hasSizeGreaterThanOrEqualTo(FEEDS - 16);
      assertThat(harness.of().numEventTimeTimers()).isZero();
      harness.of().endInput();
      assertThat(tables(harness)).hasSize(2 * FEEDS);
    }
  }

  @Test
  void theTaskGoesOnWhileATableIsMadeAndTheEndWaitsForAll() throws Exception {
    try (MergeHarness harness = harness()) {
      harness.of().open();
      add(harness, "f", 0, "a");
      add(harness, "g", 0, "b");
      harness.of().processWatermark(9);
      add(harness, "f", 10, "c"); // it does not wait
      harness.of().processWatermark(19);
      harness.of().snapshot(1, 1);
      assertThat(tables(harness)).isEmpty();
      allowed.release(3);
      harness.of().endInput();
      assertThat(tables(harness).subList(0, 2))
          .containsExactlyInAnyOrder("f 10 {a=1}", "g 10 {b=1}");
      assertThat(tables(harness)).endsWith("f 20 {c=1}").hasSize(3);
      assertThat(harness.of().numKeyedStateEntries()).isZero();
      assertThat(harness.of().numEventTimeTimers()).isZero();
    }
  }

  @Test
  void aTableThatWasNotEmittedBeforeAKillIsMadeAgainAndNoOther() throws Exception {
    OperatorSubtaskState saved;
    try (MergeHarness harness = harness()) {
      harness.of().open();
      for (String feed : List.of("f", "g", "h")) {
        add(harness, feed, 0, feed);
      }
      harness.of().processWatermark(9);
      allowed.release();
      while (tables(harness).isEmpty()) {
        harness.of().getTaskMailbox().take(0).run();
      }
      assertThat(tables(harness)).hasSize(1);
      saved = harness.of().snapshot(1, 1);
      // killed here: tables that are made now are lost with the process
      allowed.release(2);
    }
    List<String> restored;
    allowed.drainPermits();
    try (MergeHarness harness = harness()) {
      harness.of().initializeState(saved);
      harness.of().open();
      allowed.release(2);
      harness.of().endInput();
      restored = tables(harness);
      assertThat(harness.of().numKeyedStateEntries()).isZero();
    }
    assertThat(restored).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void theMemoryIsSharedByTheSlotsOfTheProcess() throws Exception {
    Configuration process = new Configuration();
    process.set(TaskManagerOptions.NUM_TASK_SLOTS, 8);
    MockEnvironment environment =
        MockEnvironment.builder()
            .setTaskManagerRuntimeInfo(new TestingTaskManagerRuntimeInfo(process))
            .build();
    try (MergeHarness harness =
        new MergeHarness(
            new KeyedOneInputStreamOperatorTestHarness<>(
                new MergeOperator<>(new TableMerger<>("job", new Slow()), Duration.ZERO),
                TablePart::getGroup,
                Types.STRING,
                environment))) {
      harness.of().open();
      assertThat(tasks).isEqualTo(8);
    }
  }

  @Test
  void aTableThatCannotBeMadeFailsTheTask() throws Exception {
    try (MergeHarness harness = harness()) {
      harness.of().open();
      add(harness, "f", 0, Slow.BAD);
      harness.of().processWatermark(9);
      allowed.release();
      assertThatThrownBy(harness.of()::endInput)
          .hasStackTraceContaining("no memory for this table");
    }
  }

  /** Counts n-grams, and waits until a table may be made. */
  private static final class Slow implements TableStage<NgramTable> {
    static final String BAD = "bad";

    private static final long serialVersionUID = 1L;

    @Override
    public boolean isSlow() {
      return true;
    }

    @Override
    public void shareMemory(int sharing) {
      tasks = sharing;
    }

    @Override
    public NgramTable table(TableScope scope, byte[] counts) {
      if (Thread.currentThread() == task) {
        throw new IllegalStateException("the task waits for a table");
      }
      try {
        allowed.acquire();
      } catch (InterruptedException e) {
        throw new IllegalStateException("the task has ended", e);
      }
      NgramTable table = NGRAMS.table(scope, counts);
      if (NgramStages.counts(table).containsKey(BAD)) {
        throw new OutOfMemoryError("no memory for this table");
      }
      return table;
    }

    @Override
    public Class<NgramTable> tableType() {
      return NgramTable.class;
    }

    @Override
    public List<SinkConfig> sinks() {
      return List.of();
    }

    @Override
    public TableWindows windows() {
      return NGRAMS.windows();
    }

    @Override
    public String group(Envelope record) {
      return NGRAMS.group(record);
    }

    @Override
    public int size(Envelope record) {
      return NGRAMS.size(record);
    }

    @Override
    public int batchBytes() {
      return NGRAMS.batchBytes();
    }

    @Override
    public Accumulator accumulator() {
      return NGRAMS.accumulator();
    }

    @Override
    public byte[] merge(List<byte[]> counts) {
      return NGRAMS.merge(counts);
    }

    @Override
    public String line(NgramTable table) {
      return NGRAMS.line(table);
    }

    @Override
    public String key(NgramTable table) {
      return NGRAMS.key(table);
    }

    @Override
    public Instant time(NgramTable table) {
      return NGRAMS.time(table);
    }

    @Override
    public NgramTable smaller(NgramTable table) {
      return NGRAMS.smaller(table);
    }

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public String device() {
      return "cpu";
    }

    @Override
    public void open(Device device, ResidentIndexes indexes) {}

    @Override
    public void close() {}
  }
}
