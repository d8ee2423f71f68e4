package io.latimer.pipelines.flink.batch;

import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.schemas.Batch;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.datastream.AsyncDataStream.OutputMode;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;

/**
 * Creates the async operator of a group whose batches may need learned pairs. Flink puts all
 * restored batches into its queue, waiting for room, before it opens the gatherer, which has their
 * pairs. So the queue has room for all of them, which after rescaling may be more than usual, and
 * for the usual number of new ones; the gatherer limits the total.
 */
public final class RestoringOperatorFactory extends AsyncWaitOperatorFactory<Batch, Batch> {
  private static final long serialVersionUID = 1L;

  private final StageFunction function;
  private final int inFlight;
  private final OutputMode mode;

  /**
   * Creates the factory.
   *
   * @param inFlight maximum number of batches in the operator, not counting restored ones
   */
  public RestoringOperatorFactory(StageFunction function, int inFlight, OutputMode mode) {
    super(function, 0, inFlight, mode); // no time-out here: the function itself limits the time
    this.function = function;
    this.inFlight = inFlight;
    this.mode = mode;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // Flink's signature
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
