package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.Batch;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.functions.async.CollectionSupplier;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StageFunctionTest {
  @Test
  void aBatchThatTakesTooLongFailsTheTaskAndSaysWhatToDo() {
    Outcome outcome = new Outcome();
    new StageFunction(new TestStage("slow", batch -> {}), 1234)
        .timeout(new Batch(List.of(Envelopes.of("a", 0)), Instant.EPOCH), outcome);
    assertThat(outcome.error)
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("stage slow")
        .hasMessageContaining("a batch of 1 records in 1234 ms")
        .hasMessageContaining("raise batch.timeout");
  }

  /** A task that ends releases its threads to Flink, whatever a device does. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStageThatDoesNotCloseDoesNotKeepItsTask() throws Exception {
    CountDownLatch device = new CountDownLatch(1);
    ClosingStage stage = new ClosingStage(device);
    try {
      run(new StageFunction(stage, 1234, Duration.ofMillis(1)));
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
    run(new StageFunction(stage, 1234));
    assertThat(stage.closed.getCount()).isZero();
  }

  /** One batch through a task; returns when it has ended. */
  private static void run(StageFunction function) throws Exception {
    TypeSerializer<Batch> serializer = Records.BATCH.createSerializer(new SerializerConfigImpl());
    OneInputStreamOperatorTestHarness<Batch, Batch> harness =
        new OneInputStreamOperatorTestHarness<>(
            new AsyncWaitOperatorFactory<>(function, 60_000, 1, AsyncDataStream.OutputMode.ORDERED),
            serializer);
    harness.setup(serializer);
    harness.open();
    harness.processElement(new Batch(List.of(Envelopes.of("a", 0)), Instant.EPOCH), 0);
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

  private static final class Outcome implements ResultFuture<Batch> {
    private Throwable error;

    @Override
    public void complete(Collection<Batch> result) {
      throw new AssertionError("a batch that was not worked on must not go on");
    }

    @Override
    public void complete(CollectionSupplier<Batch> supplier) {
      throw new AssertionError("a batch that was not worked on must not go on");
    }

    @Override
    public void completeExceptionally(Throwable reason) {
      error = reason;
    }
  }
}
