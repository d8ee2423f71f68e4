package io.latimer.pipelines.sql;

import io.latimer.pipelines.shared.SharedConfig;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.api.config.MLPredictRuntimeConfigOptions;
import org.apache.flink.table.functions.AsyncPredictFunction;
import org.apache.flink.table.ml.AsyncPredictRuntimeProvider;
import org.apache.flink.table.ml.ModelProvider;

/**
 * A model in a query. Asynchronous only: a call that waits for its result would make batches of one
 * record for each subtask.
 */
final class StageModelProvider implements AsyncPredictRuntimeProvider {
  private static final Set<String> QUERY_OPTIONS =
      Set.of(
          MLPredictRuntimeConfigOptions.ASYNC.key(),
          MLPredictRuntimeConfigOptions.ASYNC_MAX_CONCURRENT_OPERATIONS.key(),
          MLPredictRuntimeConfigOptions.ASYNC_OUTPUT_MODE.key(),
          MLPredictRuntimeConfigOptions.ASYNC_TIMEOUT.key());

  private final String name;
  private final SharedConfig stages;
  private final OutputRow output;
  private final Duration deadline;
  private final ReadableConfig session;

  /**
   * Makes one.
   *
   * @param name of the model, for messages
   * @param deadline of a call; zero to derive it from the query's timeout
   * @param session the settings of the session
   */
  StageModelProvider(
      String name,
      SharedConfig stages,
      OutputRow output,
      Duration deadline,
      ReadableConfig session) {
    this.name = name;
    this.stages = stages;
    this.output = output;
    this.deadline = deadline;
    this.session = session;
  }

  @Override
  public AsyncPredictFunction createAsyncPredictFunction(Context context) {
    ReadableConfig query = context.runtimeConfig();
    Set<String> unknown = new TreeSet<>(query.toMap().keySet());
    unknown.removeAll(QUERY_OPTIONS);
    if (!unknown.isEmpty()) {
      throw new ValidationException(
          name
              + ": ML_PREDICT has no option "
              + String.join(", ", unknown)
              + "; a query's options are "
              + String.join(", ", new TreeSet<>(QUERY_OPTIONS))
              + ", and those of the model belong into CREATE MODEL");
    }
    int calls =
        query
            .getOptional(MLPredictRuntimeConfigOptions.ASYNC_MAX_CONCURRENT_OPERATIONS)
            .orElseGet(
                () ->
                    session.get(
                        ExecutionConfigOptions
                            .TABLE_EXEC_ASYNC_ML_PREDICT_MAX_CONCURRENT_OPERATIONS));
    if (calls > stages.maxPending()) {
      throw new ValidationException(
          name
              + ": max-concurrent-operations is "
              + calls
              + ", but a subtask may have only "
              + stages.maxPending()
              + " records under way; raise the model's batch.max-pending, or lower it");
    }
    return new StagePredictFunction(stages, output, calls, deadline(query));
  }

  private Duration deadline(ReadableConfig query) {
    Duration timeout =
        query
            .getOptional(MLPredictRuntimeConfigOptions.ASYNC_TIMEOUT)
            .orElseGet(
                () -> session.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_TIMEOUT));
    if (deadline.isZero()) {
      return timeout.multipliedBy(3).dividedBy(4);
    }
    if (deadline.compareTo(timeout) >= 0) {
      throw new ValidationException(
          name
              + ": deadline must be below the query's timeout of "
              + timeout.toMillis()
              + " ms, found "
              + deadline.toMillis()
              + " ms; lower it, or raise "
              + ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_TIMEOUT.key());
    }
    return deadline;
  }

  @Override
  public ModelProvider copy() {
    return new StageModelProvider(name, stages, output, deadline, session);
  }
}
