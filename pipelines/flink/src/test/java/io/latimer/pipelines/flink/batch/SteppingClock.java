package io.latimer.pipelines.flink.batch;

import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.clock.Clock;

/**
 * Makes a {@link BatchGatherer} with a system clock that can be set. The test harness' time passes
 * evenly and drives the timers, as in Flink, where the delay is fixed when a timer is registered.
 */
final class SteppingClock extends AbstractStreamOperatorFactory<Batch>
    implements OneInputStreamOperatorFactory<Envelope, Batch> {
  private static final long serialVersionUID = 1L;

  private long back;

  /** Sets the clock back, or forward if negative. */
  void stepBack(long millis) {
    back += millis;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // as Flink declares it
  public <T extends StreamOperator<Batch>> T createStreamOperator(
      StreamOperatorParameters<Batch> parameters) {
    return SimpleOperatorFactory.of(new BatchGatherer("work", BatchGathererTest.LIMITS))
        .createStreamOperator(
            new StreamOperatorParameters<>(
                parameters.getContainingTask(),
                parameters.getStreamConfig(),
                parameters.getOutput(),
                () -> new Stepping(parameters.getProcessingTimeService()),
                parameters.getOperatorEventDispatcher(),
                parameters.getMailboxExecutor()));
  }

  @Override
  @SuppressWarnings("rawtypes") // as Flink declares it
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
    return BatchGatherer.class;
  }

  private final class Stepping implements ProcessingTimeService {
    private final ProcessingTimeService even;

    Stepping(ProcessingTimeService even) {
      this.even = even;
    }

    @Override
    public long getCurrentProcessingTime() {
      return even.getCurrentProcessingTime() - back;
    }

    @Override
    public ScheduledFuture<?> registerTimer(long time, ProcessingTimeCallback callback) {
      return even.registerTimer(time + back, at -> callback.onProcessingTime(time));
    }

    @Override
    public Clock getClock() {
      throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        ProcessingTimeCallback callback, long delay, long period) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        ProcessingTimeCallback callback, long delay, long period) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> quiesce() {
      return even.quiesce();
    }
  }
}
