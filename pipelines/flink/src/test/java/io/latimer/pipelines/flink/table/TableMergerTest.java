package io.latimer.pipelines.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.NgramStages;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.TablePart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableMergerTest {
  private static final int MAX_PARALLELISM = 16;

  private final TableStage<NgramTable> stage =
      NgramStages.of("order: 1, window: 20ms, slide: 10ms, allowed-lateness: 10ms, by-feed: true");

  private MergeHarness harness(int parallelism, int index) throws Exception {
    return new MergeHarness(
        new KeyedOneInputStreamOperatorTestHarness<>(
            new MergeOperator<>(new TableMerger<>("job", stage), Duration.ZERO),
            TablePart::getGroup,
            Types.STRING,
            MAX_PARALLELISM,
            parallelism,
            index));
  }

  private List<TablePart> parts(String feed, long time, String... texts) {
    return MergeHarness.parts(stage, feed, time, texts);
  }

  private static List<String> tables(MergeHarness harness) {
    List<String> lines = new ArrayList<>();
    for (StreamRecord<? extends NgramTable> record : harness.of().getRecordOutput()) {
      NgramTable t = record.getValue();
      lines.add(
          t.getFeed()
              + (t.getRunning() ? " run " : " win ")
              + t.getStart().toEpochMilli()
              + "-"
              + t.getEnd().toEpochMilli()
              + (t.getRevision() > 0 ? " rev " + t.getRevision() : "")
              + (t.getLate() > 0 ? " late " + t.getLate() : "")
              + " "
              + NgramStages.counts(t));
    }
    harness.of().getOutput().clear();
    return lines;
  }

  private static void add(MergeHarness harness, List<TablePart> parts) throws Exception {
    harness.add(parts);
  }

  @Test
  void countsOfSeveralSubtasksAreMergedThoughTheyNumberTheirWordsDifferently() throws Exception {
    try (MergeHarness harness = harness(1, 0)) {
      harness.of().open();
      add(harness, parts("f", 0, "a b"));
      add(harness, parts("f", 1, "b c b"));
      add(harness, parts("f", 10, "c"));
      harness.of().processWatermark(9);
      assertThat(tables(harness))
          .containsExactly("f win -10-10 {a=1, b=3, c=1}", "f run 0-10 {a=1, b=3, c=1}");
      harness.of().processWatermark(Long.MAX_VALUE);
      assertThat(tables(harness))
          .containsExactly(
              "f win 0-20 {a=1, b=3, c=2}", "f run 0-20 {a=1, b=3, c=2}", "f win 10-30 {c=1}");
      assertThat(harness.of().numKeyedStateEntries()).isEqualTo(2); // totals and their counts
    }
  }

  @Test
  void lateOnesMakeARevisionThenCountAsLate() throws Exception {
    try (MergeHarness harness = harness(1, 0)) {
      harness.of().open();
      add(harness, parts("f", 0, "a"));
      harness.of().processWatermark(12);
      tables(harness);
      add(harness, parts("f", 0, "b"));
      harness.of().processWatermark(18);
      assertThat(tables(harness))
          .containsExactly("f win -10-10 rev 1 {a=1, b=1}", "f run 0-10 {a=1, b=1}");
      harness.of().processWatermark(29);
      assertThat(tables(harness)).containsExactly("f win 0-20 {a=1, b=1}");
      add(harness, parts("f", 0, "c", "d"));
      harness.of().processWatermark(Long.MAX_VALUE);
      assertThat(tables(harness)).containsExactly("f run 0-20 late 2 {a=1, b=1, c=1, d=1}");
    }
  }

  @Test
  void stateIsRestoredWithOtherParallelism() throws Exception {
    List<String> feeds = List.of("f0", "f1", "f2", "f3", "f4");
    OperatorSubtaskState state;
    try (MergeHarness harness = harness(1, 0)) {
      harness.of().open();
      for (String feed : feeds) {
        add(harness, parts(feed, 0, feed + " x"));
      }
      harness.of().processWatermark(9);
      assertThat(tables(harness)).hasSize(10);
      state = harness.of().snapshot(1, 1);
    }
    List<String> restored = new ArrayList<>();
    for (int index = 0; index < 3; index++) {
      try (MergeHarness harness = harness(3, index)) {
        harness
            .of()
            .initializeState(
                AbstractStreamOperatorTestHarness.repartitionOperatorState(
                    state, MAX_PARALLELISM, 1, 3, index));
        harness.of().open();
        for (String feed : feeds) {
          if (KeyGroupRangeAssignment.assignKeyToParallelOperator(feed, MAX_PARALLELISM, 3)
              == index) {
            add(harness, parts(feed, 10, "y x"));
          }
        }
        harness.of().processWatermark(Long.MAX_VALUE);
        restored.addAll(tables(harness));
      }
    }
    List<String> expected = new ArrayList<>();
    for (String feed : feeds) {
      expected.add(feed + " win 0-20 {" + feed + "=1, x=2, y=1}");
      expected.add(feed + " run 0-20 {" + feed + "=1, x=2, y=1}");
      expected.add(feed + " win 10-30 {x=1, y=1}");
    }
    assertThat(restored).containsExactlyInAnyOrderElementsOf(expected);
  }

  /** Counts of one sentence. */
  private List<TablePart> parts(List<TablePart> model, String feed, long pane) {
    return model.stream()
        .map(part -> new TablePart(feed, pane, part.getRecords(), part.getCounts()))
        .toList();
  }

  private static void assertNothingKept(MergeHarness harness) {
    assertThat(harness.of().numKeyedStateEntries()).isZero();
    assertThat(harness.of().numEventTimeTimers()).isZero();
    assertThat(harness.of().numProcessingTimeTimers()).isZero();
  }

  @Test
  void nothingIsKeptOfFeedsThatHaveExpired() throws Exception {
    int feeds = 10_000;
    List<TablePart> sentence = parts("f", 0, "a b");
    String windows = "order: 1, window: 10ms, by-feed: true";
    try (MergeHarness harness =
        MergeHarness.of(NgramStages.of(windows + ", totals-expiry: 100ms"))) {
      harness.of().open();
      for (int i = 0; i < feeds; i++) {
        add(harness, parts(sentence, "feed-" + i, i % 3 * 10L));
      }
      harness.of().processWatermark(29);
      assertThat(tables(harness)).hasSize(2 * feeds);
      assertThat(harness.of().numKeyedStateEntries()).isEqualTo(2 * feeds);
      assertThat(harness.of().numEventTimeTimers()).isEqualTo(feeds);
      harness.of().processWatermark(129);
      assertThat(tables(harness)).isEmpty();
      assertNothingKept(harness);
    }
    try (MergeHarness harness = MergeHarness.of(NgramStages.of(windows + ", running: false"))) {
      harness.of().open();
      for (int i = 0; i < feeds; i++) {
        add(harness, parts(sentence, "feed-" + i, i % 3 * 10L));
      }
      harness.of().processWatermark(29);
      assertThat(tables(harness)).hasSize(feeds);
      assertNothingKept(harness);
    }
  }

  /** A drained job ends its input, and goes on from its savepoint. */
  @ParameterizedTest
  @CsvSource({"true, 110", "false, 10"})
  void whatIsKeptOfAFeedExpiresAfterADrain(boolean running, long expires) throws Exception {
    TableStage<NgramTable> of =
        NgramStages.of(
            "order: 1, window: 10ms, by-feed: true, totals-expiry: 100ms, running: " + running);
    OperatorSubtaskState drained;
    try (MergeHarness harness = MergeHarness.of(of)) {
      harness.of().open();
      add(harness, parts("f", 0, "a"));
      add(harness, parts("g", 0, "b"));
      harness.of().processWatermark(Long.MAX_VALUE);
      harness.of().endInput();
      assertThat(tables(harness)).hasSize(running ? 4 : 2);
      drained = harness.of().snapshot(1, 1);
    }
    try (MergeHarness harness = MergeHarness.of(of)) {
      harness.of().initializeState(drained);
      harness.of().open();
      harness.of().processWatermark(expires - 2);
      assertThat(harness.of().numKeyedStateEntries()).isEqualTo(running ? 4 : 2);
      harness.of().processWatermark(expires - 1);
      assertNothingKept(harness);
      assertThat(tables(harness)).isEmpty();
    }
  }

  /** Watermarks start again after a restart, and nothing is kept that says what was closed. */
  @Test
  void whatWasLateIsLateAfterARestart() throws Exception {
    TableStage<NgramTable> of = NgramStages.of("order: 1, window: 10ms, running: false");
    OperatorSubtaskState saved;
    try (MergeHarness harness = MergeHarness.of(of)) {
      harness.of().open();
      add(harness, parts("", 0, "a"));
      harness.of().processWatermark(12);
      assertThat(tables(harness)).hasSize(1);
      assertNothingKept(harness);
      saved = harness.of().snapshot(1, 1);
    }
    try (MergeHarness harness = MergeHarness.of(of)) {
      harness.of().initializeState(saved);
      harness.of().open();
      add(harness, parts("", 0, "late"));
      add(harness, parts("", 10, "b"));
      harness.of().processWatermark(19);
      assertThat(tables(harness)).containsExactly(" win 10-20 {b=1}");
    }
  }
}
