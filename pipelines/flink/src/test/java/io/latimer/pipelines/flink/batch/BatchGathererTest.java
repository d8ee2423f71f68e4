package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.flink.Envelopes;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class BatchGathererTest {
  public static final MicroBatcher.Limits LIMITS = new MicroBatcher.Limits(3, 100, 50);

  private OneInputStreamOperatorTestHarness<Envelope, Batch> harness;

  @BeforeEach
  void open() throws Exception {
    open(new OneInputStreamOperatorTestHarness<>(new BatchGatherer("work", LIMITS)));
  }

  private void open(OneInputStreamOperatorTestHarness<Envelope, Batch> of) throws Exception {
    harness = of;
    harness.setup();
    harness.open();
    harness.setProcessingTime(1_000);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void aBatchClosesAtItsMostRecords() throws Exception {
    gather("a", "b", "c", "d");
    assertThat(output()).containsExactly("[a, b, c]@0");
  }

  @Test
  void aBatchClosesBeforeItHasTooManyTokens() throws Exception {
    String long1 = "x".repeat(240);
    String long2 = "y".repeat(240);
    gather(long1, long2);
    assertThat(output()).containsExactly("[" + long1 + "]@0");
  }

  @Test
  void aBatchClosesWhenItsFirstRecordHasWaitedLongEnough() throws Exception {
    gather("a");
    harness.setProcessingTime(1_049);
    assertThat(output()).isEmpty();
    harness.setProcessingTime(1_050);
    assertThat(output()).containsExactly("[a]@0");
  }

  @Test
  void theTimeOfOneBatchDoesNotCutTheNextShort() throws Exception {
    gather("a", "b");
    harness.setProcessingTime(1_040);
    gather("c", "d");
    harness.setProcessingTime(1_060);
    assertThat(output()).containsExactly("[a, b, c]@0");
    harness.setProcessingTime(1_090);
    assertThat(output()).containsExactly("[a, b, c]@0", "[d]@0");
  }

  @ParameterizedTest
  @ValueSource(longs = {10, 3_600_000, -3_600_000})
  void aBatchClosesInTimeWhereverTheSystemClockSteps(long back) throws Exception {
    SteppingClock clock = new SteppingClock();
    harness.close();
    open(new OneInputStreamOperatorTestHarness<>(clock));
    gather("a");
    clock.stepBack(back);
    harness.setProcessingTime(1_049);
    assertThat(output()).isEmpty();
    harness.setProcessingTime(1_050);
    assertThat(output()).containsExactly("[a]@0");
    gather("b");
    harness.setProcessingTime(1_099);
    assertThat(output()).containsExactly("[a]@0");
    harness.setProcessingTime(1_100);
    assertThat(output()).containsExactly("[a]@0", "[b]@0");
  }

  @Test
  void aWatermarkWaitsForTheRecordsBeforeIt() throws Exception {
    gather("a");
    harness.processWatermark(500);
    gather("b");
    assertThat(output()).isEmpty();
    harness.setProcessingTime(1_050);
    assertThat(output()).containsExactly("[a, b]@0", "watermark 500");
  }

  @Test
  void ofSeveralWatermarksTheLastOneCounts() throws Exception {
    gather("a");
    harness.processWatermark(500);
    harness.processWatermark(600);
    gather("b", "c");
    assertThat(output()).containsExactly("[a, b, c]@0", "watermark 600");
  }

  @Test
  void aWatermarkPassesAtOnceWhereNoRecordIsHeld() throws Exception {
    harness.processWatermark(500);
    assertThat(output()).containsExactly("watermark 500");
  }

  @Test
  void theLastWatermarkClosesTheBatch() throws Exception {
    gather("a");
    harness.processWatermark(Watermark.MAX_WATERMARK);
    assertThat(output()).containsExactly("[a]@0", "watermark " + Long.MAX_VALUE);
  }

  @Test
  void anIdleInputClosesTheBatch() throws Exception {
    gather("a");
    harness.processWatermark(500);
    harness.processWatermarkStatus(WatermarkStatus.IDLE);
    assertThat(output()).containsExactly("[a]@0", "watermark 500", "watermark 500 idle");
  }

  /** The async operator would pass it on before the batches in flight. */
  @Test
  void aStatusLeavesInAWatermark() throws Exception {
    harness.processWatermarkStatus(WatermarkStatus.IDLE);
    harness.processWatermarkStatus(WatermarkStatus.ACTIVE);
    harness.processWatermark(500);
    assertThat(output())
        .containsExactly(
            "watermark " + Long.MIN_VALUE + " idle",
            "watermark " + Long.MIN_VALUE,
            "watermark 500");
  }

  @Test
  void theBatchGoesBeforeTheBarrierAndLeavesNoState() throws Exception {
    gather("a", "b");
    harness.prepareSnapshotPreBarrier(1);
    assertThat(output()).containsExactly("[a, b]@0");
    assertThat(harness.snapshot(1, 1).hasState()).isFalse();
  }

  @Test
  void theEndOfTheInputClosesTheBatch() throws Exception {
    gather("a");
    harness.endInput();
    assertThat(output()).containsExactly("[a]@0");
  }

  @Test
  void aBatchHasTheTimeOfItsEarliestRecord() throws Exception {
    for (long time : new long[] {30, 10, 20}) {
      harness.processElement(Envelopes.of("t" + time, time), time);
    }
    assertThat(output()).containsExactly("[t30, t10, t20]@10");
  }

  private void gather(String... texts) throws Exception {
    for (String text : texts) {
      harness.processElement(Envelopes.of(text, 0), 0);
    }
  }

  private List<String> output() {
    List<String> output = new ArrayList<>();
    for (Object element : harness.getOutput()) {
      if (element instanceof BatchMark mark) {
        output.add("watermark " + mark.getTimestamp() + (mark.status().isIdle() ? " idle" : ""));
      } else if (element instanceof WatermarkStatus status) {
        output.add(status.isIdle() ? "idle" : "active");
      } else {
        StreamRecord<?> record = (StreamRecord<?>) element;
        Batch batch = (Batch) record.getValue();
        output.add(Envelopes.texts(batch.getEnvelopes()) + "@" + record.getTimestamp());
      }
    }
    return output;
  }
}
