package io.latimer.pipelines.flink;

import io.latimer.schemas.Batch;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.datastream.AsyncDataStream.OutputMode;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;

/**
 * Makes the async operator of a group whose batches may need learned pairs. Flink puts all restored
 * batches in its queue before it opens the gatherer, which has their pairs, and waits for room. So
 * the queue has room for all of them, which may be more than usual where a job is rescaled, and for
 * as many new ones as usual; the gatherer sees to it that there are no more.
 */
final class RestoringOperatorFactory extends AsyncWaitOperatorFactory<Batch, Batch> {
  private static final long serialVersionUID = 1L;

  private final StageFunction function;
  private final int inFlight;
  private final OutputMode mode;

  /**
   * Makes the factory.
   *
   * @param inFlight maximum number of batches in the operator, but for restored ones
   */
  RestoringOperatorFactory(StageFunction function, int inFlight, OutputMode mode) {
    super(function, 0, inFlight, mode); // 0: the function itself limits the time
    this.function = function;
    this.inFlight = inFlight;
    this.mode = mode;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // Flink declares it
  public <T extends StreamOperator<Batch>> T createStreamOperator(
      StreamOperatorParameters<Batch> parameters) {
    OperatorID operator = parameters.getStreamConfig().getOperatorID();
    int restored =
        parameters
            .getContainingTask()
            .getEnvironment()
            .getTaskStateManager()
            .getSubtaskJobManagerRestoredState(operator)
            .map(SavedState::batchesInFlight)
            .orElse(0);
    if (restored == 0) {
      return super.createStreamOperator(parameters);
    }
    AsyncWaitOperatorFactory<Batch, Batch> larger =
        new AsyncWaitOperatorFactory<>(function, 0, restored + inFlight, mode);
    larger.setProcessingTimeService(processingTimeService);
    larger.setMailboxExecutor(getMailboxExecutor());
    return larger.createStreamOperator(parameters);
  }
}
