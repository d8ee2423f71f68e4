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
 * A model in a query. Asynchronous only, because synchronous calls would give batches of one record
 * per subtask.
 *
 * @param name of the model, for messages
 * @param session the settings of the session
 */
record StageModelProvider(
    String name,
    SharedConfig stages,
    OutputRow output,
    ModelOptions options,
    ReadableConfig session)
    implements AsyncPredictRuntimeProvider {
  private static final Set<String> QUERY_OPTIONS =
      Set.of(
          MLPredictRuntimeConfigOptions.ASYNC.key(),
          MLPredictRuntimeConfigOptions.ASYNC_MAX_CONCURRENT_OPERATIONS.key(),
          MLPredictRuntimeConfigOptions.ASYNC_OUTPUT_MODE.key(),
          MLPredictRuntimeConfigOptions.ASYNC_TIMEOUT.key());

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
    if (calls < 1) {
      throw new ValidationException(
          name + ": max-concurrent-operations must be 1 or more, found " + calls);
    }
    if (calls > stages.maxPending()) {
      throw new ValidationException(
          name
              + ": max-concurrent-operations is "
              + calls
              + ", but a subtask may have only "
              + stages.maxPending()
              + " records under way; raise the model's batch.max-pending, or lower it");
    }
    Duration deadline = deadline(query);
    return new StagePredictFunction(stages(deadline), output, calls, deadline);
  }

  /** The maximum time of a call; zero for no limit. */
  private Duration deadline(ReadableConfig query) {
    Duration timeout =
        query
            .getOptional(MLPredictRuntimeConfigOptions.ASYNC_TIMEOUT)
            .orElseGet(
                () -> session.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_TIMEOUT));
    Duration own = options.deadline();
    if (timeout.toMillis() <= 0) { // Flink sets no time-out
      return own;
    }
    if (own.isZero()) {
      return timeout.multipliedBy(3).dividedBy(4);
    }
    if (own.compareTo(timeout) >= 0) {
      throw new ValidationException(
          name
              + ": deadline must be below the query's timeout of "
              + timeout.toMillis()
              + " ms, found "
              + own.toMillis()
              + " ms; lower it, or raise "
              + ExecutionConfigOptions.TABLE_EXEC_ASYNC_ML_PREDICT_TIMEOUT.key());
    }
    return own;
  }

  /**
   * The stages, with a timeout below the deadline, so that a hanging device fails the job before
   * its rows count as errors.
   */
  private SharedConfig stages(Duration deadline) {
    if (deadline.isZero()) {
      return stages;
    }
    check("batch.max-wait", Duration.ofMillis(stages.batches().limits().millis()), deadline);
    if (options.hasTimeout()) {
      check("batch.timeout", stages.timeout(), deadline);
      return stages;
    }
    Duration half = deadline.dividedBy(2);
    return half.compareTo(stages.timeout()) < 0 ? stages.withTimeout(half) : stages;
  }

  private void check(String option, Duration time, Duration deadline) {
    if (time.compareTo(deadline) >= 0) {
      throw new ValidationException(
          name
              + ": "
              + option
              + " must be below the deadline of a call, "
              + deadline.toMillis()
              + " ms, found "
              + time.toMillis()
              + " ms; lower it, or raise deadline and the query's timeout");
    }
  }

  @Override
  public ModelProvider copy() {
    return new StageModelProvider(name, stages, output, options, session);
  }
}
