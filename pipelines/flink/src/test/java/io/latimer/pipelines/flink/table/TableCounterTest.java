package io.latimer.pipelines.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.NgramStages;
import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.TablePart;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TableCounterTest {
  private final TableStage<NgramTable> stage = NgramStages.of("order: 1, window: 10ms");
  private OneInputStreamOperatorTestHarness<Envelope, Envelope> harness;

  @BeforeEach
  void open() throws Exception {
    harness =
        new OneInputStreamOperatorTestHarness<>(
            new TableCounter(
                stage, new SinkValues(List.of(new SinkValues.Limit(Format.AVRO, 100_000))), true));
    harness.setup(Records.ENVELOPE.createSerializer(new SerializerConfigImpl()));
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private void add(Envelope envelope) throws Exception {
    harness.processElement(new StreamRecord<>(envelope, EventTime.of(envelope)));
  }

  @Test
  void aTombstonePassesUncounted() throws Exception {
    Envelope tombstone = Envelopes.tombstone("key", List.of());
    add(tombstone);
    harness.endInput();
    assertThat(harness.extractOutputValues()).containsExactly(tombstone);
    assertThat(parts()).isEmpty();
    assertThat(harness.getSideOutput(Records.DEAD_LETTERS)).isNull();
  }

  /** The output since the last call: pane, records and counts. */
  private List<String> parts() {
    List<String> lines = new ArrayList<>();
    Queue<StreamRecord<TablePart>> parts = harness.getSideOutput(Records.PARTS);
    while (parts != null && !parts.isEmpty()) {
      TablePart part = parts.remove().getValue();
      NgramTable table =
          stage.table(
              new TableScope("", false, 0, 1, 0, part.getRecords(), 0),
              KafkaBytes.array(part.getCounts()));
      lines.add(part.getPane() + " n" + part.getRecords() + " " + NgramStages.counts(table));
    }
    return lines;
  }

  @Test
  void recordsPassAtOnceAsTheyAreAndAreCounted() throws Exception {
    Envelope one = Envelopes.of("a b a", 3);
    Envelope translated = Envelopes.translated("c d", 4);
    add(one);
    add(translated);
    assertThat(harness.getRecordOutput())
        .containsExactly(new StreamRecord<>(one, 3), new StreamRecord<>(translated, 4));
    assertThat(parts()).isEmpty();
    harness.processWatermark(8);
    assertThat(parts()).isEmpty();
    harness.processWatermark(9);
    assertThat(parts()).containsExactly("0 n2 {a=2, b=1, c=1, d=1}");
    assertThat(harness.getOutput()).endsWith(new Watermark(8), new Watermark(9));
  }

  @Test
  void anInputThatIsIdleWhenItEndsEndsEventTimeNonetheless() throws Exception {
    add(Envelopes.of("a", 3));
    harness.processWatermarkStatus(WatermarkStatus.IDLE);
    harness.endInput();
    assertThat(parts()).containsExactly("0 n1 {a=1}");
    assertThat(harness.getOutput())
        .endsWith(WatermarkStatus.IDLE, WatermarkStatus.ACTIVE, Watermark.MAX_WATERMARK);
  }

  @Test
  void eventTimeEndsOnce() throws Exception {
    harness.processWatermark(Watermark.MAX_WATERMARK);
    harness.endInput();
    assertThat(harness.getOutput()).containsExactly(Watermark.MAX_WATERMARK);
  }

  @Test
  void allIsHandedOnBeforeABarrierSoThatNothingIsLeftToKeep() throws Exception {
    add(Envelopes.of("a", 3));
    add(Envelopes.of("b", 13));
    harness.prepareSnapshotPreBarrier(1);
    assertThat(parts()).containsExactly("0 n1 {a=1}", "10 n1 {b=1}");
    harness.prepareSnapshotPreBarrier(2);
    assertThat(parts()).isEmpty();
    // words have new ids but the same meaning
    add(Envelopes.of("b a b", 13));
    harness.prepareSnapshotPreBarrier(3);
    assertThat(parts()).containsExactly("10 n1 {a=1, b=2}");
  }

  @Test
  void allIsHandedOnBeforeItFallsIdleAndAtTheEnd() throws Exception {
    add(Envelopes.of("a", 3));
    harness.processWatermarkStatus(WatermarkStatus.IDLE);
    assertThat(parts()).containsExactly("0 n1 {a=1}");
    add(Envelopes.of("b", 3));
    harness.endInput();
    assertThat(parts()).containsExactly("0 n1 {b=1}");
  }

  @Test
  void recordsThatFailedOrAreTooLongGoAsideUncounted() throws Exception {
    Envelope refused = Envelopes.refused("bad", 2);
    add(refused);
    add(Envelopes.of("x".repeat(100_000), 3));
    add(Envelopes.of("a", 4));
    harness.prepareSnapshotPreBarrier(1);
    assertThat(parts()).containsExactly("0 n1 {a=1}");
    assertThat(harness.getRecordOutput()).hasSize(1);
    assertThat(harness.getSideOutput(Records.DEAD_LETTERS))
        .extracting(letter -> letter.getValue().getFailure().getStage())
        .containsExactly("test", "sink");
  }

  @Test
  void aTimeWithoutWindowsIsADeadLetterOfTheStage() throws Exception {
    add(Envelopes.of("a", 1L << 60));
    assertThat(harness.getSideOutput(Records.DEAD_LETTERS))
        .extracting(letter -> letter.getValue().getFailure().getStage())
        .containsExactly("ngrams");
    assertThat(harness.getRecordOutput()).hasSize(1);
  }
}
