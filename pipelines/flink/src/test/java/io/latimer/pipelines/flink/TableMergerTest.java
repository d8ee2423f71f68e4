package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.table.TablePanes;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.TablePart;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class TableMergerTest {
  private static final int MAX_PARALLELISM = 16;

  private final TableStage<NgramTable> stage =
      NgramStages.of("order: 1, window: 20ms, slide: 10ms, allowed-lateness: 10ms, by-feed: true");

  private Harness harness(int parallelism, int index) throws Exception {
    return new Harness(
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new TableMerger<>("job", stage)),
            TablePart::getGroup,
            Types.STRING,
            MAX_PARALLELISM,
            parallelism,
            index));
  }

  /** Flink's harness, safe to close. */
  private record Harness(KeyedOneInputStreamOperatorTestHarness<String, TablePart, NgramTable> of)
      implements AutoCloseable {
    @Override
    public void close() {
      try {
        of.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** The counts of a subtask for sentences of a feed. */
  private List<TablePart> parts(String feed, long time, String... texts) {
    List<TablePart> parts = new ArrayList<>();
    stage.open(Device.CPU, new ResidentIndexes());
    TablePanes.Output output =
        new TablePanes.Output() {
          @Override
          public void part(TablePart part) {
            parts.add(part);
          }

          @Override
          public void refused(Envelope record) {
            throw new AssertionError(record.getFailure());
          }
        };
    try (TablePanes panes = new TablePanes(stage, output)) {
      for (String text : texts) {
        Envelope envelope = Envelopes.of(text, time);
        envelope.getSentence().setFeed(feed);
        panes.add(envelope, time);
      }
      panes.takeAll();
    }
    return parts;
  }

  private static List<String> tables(Harness harness) {
    List<String> lines = new ArrayList<>();
    for (StreamRecord<? extends NgramTable> record : harness.of.getRecordOutput()) {
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
    harness.of.getOutput().clear();
    return lines;
  }

  private static void add(Harness harness, List<TablePart> parts) throws Exception {
    for (TablePart part : parts) {
      harness.of.processElement(new StreamRecord<>(part, part.getPane()));
    }
  }

  @Test
  void countsOfSeveralSubtasksAreMergedThoughTheyNumberTheirWordsDifferently() throws Exception {
    try (Harness harness = harness(1, 0)) {
      harness.of.open();
      add(harness, parts("f", 0, "a b"));
      add(harness, parts("f", 1, "b c b"));
      add(harness, parts("f", 10, "c"));
      harness.of.processWatermark(9);
      assertThat(tables(harness))
          .containsExactly("f win -10-10 {a=1, b=3, c=1}", "f run 0-10 {a=1, b=3, c=1}");
      harness.of.processWatermark(Long.MAX_VALUE);
      assertThat(tables(harness))
          .containsExactly(
              "f win 0-20 {a=1, b=3, c=2}", "f run 0-20 {a=1, b=3, c=2}", "f win 10-30 {c=1}");
      assertThat(harness.of.numKeyedStateEntries()).isEqualTo(1);
    }
  }

  @Test
  void lateOnesMakeARevisionThenCountAsLate() throws Exception {
    try (Harness harness = harness(1, 0)) {
      harness.of.open();
      add(harness, parts("f", 0, "a"));
      harness.of.processWatermark(12);
      tables(harness);
      add(harness, parts("f", 0, "b"));
      harness.of.processWatermark(18);
      assertThat(tables(harness))
          .containsExactly("f win -10-10 rev 1 {a=1, b=1}", "f run 0-10 {a=1, b=1}");
      harness.of.processWatermark(29);
      assertThat(tables(harness)).containsExactly("f win 0-20 {a=1, b=1}");
      add(harness, parts("f", 0, "c", "d"));
      harness.of.processWatermark(Long.MAX_VALUE);
      assertThat(tables(harness)).containsExactly("f run 0-20 late 2 {a=1, b=1, c=1, d=1}");
    }
  }

  @Test
  void stateIsRestoredWithOtherParallelism() throws Exception {
    List<String> feeds = List.of("f0", "f1", "f2", "f3", "f4");
    OperatorSubtaskState state;
    try (Harness harness = harness(1, 0)) {
      harness.of.open();
      for (String feed : feeds) {
        add(harness, parts(feed, 0, feed + " x"));
      }
      harness.of.processWatermark(9);
      assertThat(tables(harness)).hasSize(10);
      state = harness.of.snapshot(1, 1);
    }
    List<String> restored = new ArrayList<>();
    for (int index = 0; index < 3; index++) {
      try (Harness harness = harness(3, index)) {
        harness.of.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                state, MAX_PARALLELISM, 1, 3, index));
        harness.of.open();
        for (String feed : feeds) {
          if (KeyGroupRangeAssignment.assignKeyToParallelOperator(feed, MAX_PARALLELISM, 3)
              == index) {
            add(harness, parts(feed, 10, "y x"));
          }
        }
        harness.of.processWatermark(Long.MAX_VALUE);
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
}
