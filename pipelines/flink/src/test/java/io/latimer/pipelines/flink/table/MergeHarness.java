package io.latimer.pipelines.flink.table;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.table.TablePanes;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.TablePart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** Flink's harness for the merging operator, safe to close. */
record MergeHarness(KeyedOneInputStreamOperatorTestHarness<String, TablePart, NgramTable> of)
    implements AutoCloseable {

  static MergeHarness of(TableStage<NgramTable> stage) throws Exception {
    return new MergeHarness(
        new KeyedOneInputStreamOperatorTestHarness<>(
            new MergeOperator<>(new TableMerger<>("job", stage), Duration.ZERO),
            TablePart::getGroup,
            Types.STRING));
  }

  /** The counts of a subtask for sentences of a feed. */
  static List<TablePart> parts(
      TableStage<NgramTable> stage, String feed, long time, String... texts) {
    List<TablePart> parts = new ArrayList<>();
    stage.open(Device.CPU, new ResidentIndexes());
    TablePanes.Output output =
        new TablePanes.Output() {
          @Override
          public void counted(int records, long nanos) {}

          @Override
          public void part(TablePart part, long nanos) {
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

  void add(List<TablePart> parts) throws Exception {
    for (TablePart part : parts) {
      of.processElement(new StreamRecord<>(part, part.getPane()));
    }
  }

  @Override
  public void close() {
    try {
      of.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
