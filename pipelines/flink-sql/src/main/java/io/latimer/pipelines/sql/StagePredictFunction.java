package io.latimer.pipelines.sql;

import io.latimer.operators.device.DeviceLostException;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.shared.SharedConfig;
import io.latimer.pipelines.shared.SharedStages;
import io.latimer.pipelines.shared.StageClient;
import io.latimer.pipelines.stage.StageDevice;
import io.latimer.schemas.Envelope;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncPredictFunction;
import org.apache.flink.table.functions.FunctionContext;

/**
 * A subtask's calls of a model. They share the batches of {@link SharedStages} with those of other
 * subtasks in the process.
 */
public final class StagePredictFunction extends AsyncPredictFunction {
  private static final long serialVersionUID = 1L;

  private final SharedConfig stages;
  private final OutputRow output;
  private final int calls;
  private final Duration deadline;

  private transient PredictMetrics metrics;
  private transient StageClient client;
  private transient Deadlines<Call> deadlines; // null without a deadline
  private transient volatile boolean closed;

  /** A call and its record in the stages. */
  private static final class Call extends CompletableFuture<Collection<RowData>> {
    final CompletableFuture<Envelope> record;

    Call(CompletableFuture<Envelope> record) {
      this.record = record;
    }
  }

  /**
   * Creates the function.
   *
   * @param calls Flink's maximum number of concurrent calls, 1 or more
   * @param deadline of a call; zero for none
   */
  StagePredictFunction(SharedConfig stages, OutputRow output, int calls, Duration deadline) {
    this.stages = stages;
    this.output = output;
    this.calls = calls;
    this.deadline = deadline;
  }

  @Override
  public void open(FunctionContext context) {
    metrics = new PredictMetrics(context.getMetricGroup());
    try {
      client = SharedStages.process().open(stages, metrics);
    } catch (IndexFormatException e) { // a restart cannot fix that
      throw new SuppressRestartsException(e);
    } catch (DeviceLostException e) {
      throw StageDevice.endsProcess() ? e : new SuppressRestartsException(e);
    }
    if (!deadline.isZero()) {
      deadlines = new Deadlines<>(deadline, this::late, "deadlines of " + output.task());
    }
  }

  @Override
  public CompletableFuture<Collection<RowData>> asyncPredict(RowData row) {
    if (row.isNullAt(0)) {
      return CompletableFuture.completedFuture(List.of(output.nulls()));
    }
    Call call = new Call(client.trySubmit(Envelopes.of(row.getString(0).toString(), "sql")));
    CompletableFuture<Envelope> unused =
        call.record.whenComplete((record, failure) -> complete(call, record, failure));
    if (deadlines != null) {
      deadlines.add(call);
    }
    if (client.underWay() >= calls) { // Flink calls again only when one of these calls is done
      client.flush();
    }
    return call;
  }

  private void complete(Call call, Envelope record, Throwable failure) {
    if (closed || failure instanceof CancellationException) { // its deadline has passed
      return;
    }
    if (failure != null) {
      call.completeExceptionally(failure);
      return;
    }
    try {
      call.complete(List.of(output.of(record)));
    } catch (RuntimeException e) { // on-error is to fail the job, or a value cannot be converted
      call.completeExceptionally(e);
    }
  }

  private void late(Call call) {
    // frees the record's place before Flink learns of the row and calls again
    if (closed || !call.record.cancel(false)) {
      return;
    }
    metrics.late();
    try {
      call.complete(
          List.of(
              output.error(
                  output.task()
                      + " did not answer in "
                      + deadline.toMillis()
                      + " ms; raise deadline and the query's timeout, or let fewer calls be under"
                      + " way")));
    } catch (RuntimeException e) {
      call.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    // rows in flight are in Flink's state: failing them now would fail a job that is stopping
    closed = true;
    if (deadlines != null) {
      deadlines.close();
    }
    if (client != null) {
      client.close();
    }
  }
}
