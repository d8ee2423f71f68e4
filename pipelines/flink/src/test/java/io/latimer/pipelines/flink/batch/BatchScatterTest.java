package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import java.time.Instant;
import java.util.List;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class BatchScatterTest {
  @Test
  void recordsGetTheirOwnTimesAndThoseThatFailedGoAside() throws Exception {
    Envelope first = Envelopes.of("a", 30);
    Envelope refused = Envelopes.refused("b", 20);
    Envelope last = Envelopes.of("c", 10);
    OneInputStreamOperatorTestHarness<Batch, Envelope> harness =
        new OneInputStreamOperatorTestHarness<>(new BatchScatter(List.of(), false));
    harness.open();
    harness.processElement(
        new Batch(List.of(first, refused, last), Instant.ofEpochMilli(1), List.of()), 10);
    assertThat(harness.getRecordOutput())
        .containsExactly(new StreamRecord<>(first, 30), new StreamRecord<>(last, 10));
    assertThat(harness.getSideOutput(Records.DEAD_LETTERS))
        .containsExactly(new StreamRecord<>(refused, 20));
    harness.close();
  }

  @Test
  void aTombstoneStaysInItsPlaceWhereTheSinksTakeIt() throws Exception {
    Envelope tombstone = Envelopes.tombstone("key", List.of());
    List<Envelope> records =
        List.of(Envelopes.of("a", 10), tombstone, Envelopes.of("b", 30), Envelopes.refused("c", 5));
    for (boolean forwarded : List.of(true, false)) {
      OneInputStreamOperatorTestHarness<Batch, Envelope> harness =
          new OneInputStreamOperatorTestHarness<>(new BatchScatter(List.of(), forwarded));
      harness.open();
      harness.processElement(new Batch(records, Instant.ofEpochMilli(1), List.of()), 10);
      assertThat(harness.extractOutputValues())
          .isEqualTo(forwarded ? records.subList(0, 3) : List.of(records.get(0), records.get(2)));
      assertThat(harness.getSideOutput(Records.DEAD_LETTERS)).hasSize(forwarded ? 1 : 2);
      harness.close();
    }
  }

  @Test
  void marksAreTakenApartInTheirOrder() throws Exception {
    assertThat(
            marks(
                new BatchMark(500, false),
                new BatchMark(500, true),
                new BatchMark(500, false),
                new BatchMark(600, false)))
        .containsExactly(
            new Watermark(500), WatermarkStatus.IDLE, WatermarkStatus.ACTIVE, new Watermark(600));
  }

  @Test
  void anInputThatIsIdleFromTheStartHasNoWatermark() throws Exception {
    assertThat(marks(new BatchMark(Long.MIN_VALUE, true))).containsExactly(WatermarkStatus.IDLE);
  }

  /** After a restore it may belong to another subtask. */
  @Test
  void aWatermarkOfRestoredStateIsDropped() throws Exception {
    assertThat(marks(new Watermark(500), new BatchMark(400, false)))
        .containsExactly(new Watermark(400));
  }

  private static List<Object> marks(Watermark... marks) throws Exception {
    OneInputStreamOperatorTestHarness<Batch, Envelope> harness =
        new OneInputStreamOperatorTestHarness<>(new BatchScatter(List.of(), false));
    harness.open();
    for (Watermark mark : marks) {
      harness.processWatermark(mark);
    }
    List<Object> output = List.copyOf(harness.getOutput());
    harness.close();
    return output;
  }
}
