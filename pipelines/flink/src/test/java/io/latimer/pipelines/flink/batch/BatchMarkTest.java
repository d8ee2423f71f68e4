package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.streaming.api.datastream.AsyncDataStream.OutputMode;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Watermarks and idleness on their way through gatherer, stage and scatter. */
class BatchMarkTest {
  private static CountDownLatch device;

  private OneInputStreamOperatorTestHarness<Envelope, Batch> gather;
  private OneInputStreamOperatorTestHarness<Batch, Batch> stage;
  private OneInputStreamOperatorTestHarness<Batch, Envelope> scatter;

  @ParameterizedTest
  @EnumSource(OutputMode.class)
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anInputIsIdleOnlyBehindTheBatchesInFlight(OutputMode mode) throws Exception {
    device = new CountDownLatch(1);
    open(mode, new TestStage("slow", batch -> device.await()));
    gather.processElement(Envelopes.of("a", 1_000), 1_000);
    gather.processWatermark(new Watermark(900));
    gather.processWatermarkStatus(WatermarkStatus.IDLE);
    gather.processWatermarkStatus(WatermarkStatus.ACTIVE);
    gather.processElement(Envelopes.of("b", 2_000), 2_000);
    gather.processWatermark(new Watermark(1_900));
    gather.processWatermarkStatus(WatermarkStatus.IDLE);
    pass(gather, stage);
    pass(stage, scatter);
    assertThat(scatter.getOutput()).isEmpty();

    device.countDown();
    stage.endInput(); // waits for the batches in flight
    pass(stage, scatter);

    assertThat(output())
        .containsExactly(
            "A",
            new Watermark(900),
            WatermarkStatus.IDLE,
            WatermarkStatus.ACTIVE,
            "B",
            new Watermark(1_900),
            WatermarkStatus.IDLE);
    gather.close();
    stage.close();
    scatter.close();
  }

  private void open(OutputMode mode, TestStage slow) throws Exception {
    TypeSerializer<Batch> batches = Records.BATCH.createSerializer(new SerializerConfigImpl());
    gather =
        new OneInputStreamOperatorTestHarness<>(
            new BatchGatherer("work", BatchGathererTest.LIMITS));
    stage =
        new OneInputStreamOperatorTestHarness<>(
            new AsyncWaitOperatorFactory<>(
                new StageFunction("job", List.of(slow), Duration.ofMinutes(1), 3), 0, 8, mode),
            batches);
    scatter = new OneInputStreamOperatorTestHarness<>(new BatchScatter(List.of(), false));
    stage.setup(batches);
    gather.open();
    stage.open();
    scatter.open();
  }

  /** Passes the elements on themselves, as between chained operators. */
  private static <T> void pass(
      OneInputStreamOperatorTestHarness<?, T> from, OneInputStreamOperatorTestHarness<T, ?> to)
      throws Exception {
    for (Object element; (element = from.getOutput().poll()) != null; ) {
      if (element instanceof Watermark mark) {
        to.processWatermark(mark);
      } else if (element instanceof WatermarkStatus status) {
        to.processWatermarkStatus(status);
      } else {
        @SuppressWarnings("unchecked") // what the operator before emits
        StreamRecord<T> record = (StreamRecord<T>) element;
        to.processElement(record);
      }
    }
  }

  /** Watermarks, statuses and the translations of records. */
  private List<Object> output() {
    List<Object> output = new ArrayList<>();
    for (Object element : scatter.getOutput()) {
      output.add(
          element instanceof StreamRecord<?> record
              ? ((Envelope) record.getValue()).getTranslation().getText()
              : element);
    }
    return output;
  }
}
