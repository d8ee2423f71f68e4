package io.latimer.pipelines.sql;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.pipelines.shared.SharedConfig;
import io.latimer.pipelines.shared.SharedStages;
import io.latimer.pipelines.shared.StageClient;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Origin;
import io.latimer.schemas.Sentence;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncPredictFunction;
import org.apache.flink.table.functions.FunctionContext;

/**
 * A subtask's calls of a model. They meet those of the other subtasks of the process in the batches
 * of {@link SharedStages}.
 */
public final class StagePredictFunction extends AsyncPredictFunction {
  private static final long serialVersionUID = 1L;

  private final SharedConfig stages;
  private final OutputRow output;
  private final int calls;
  private final Duration deadline;

  private transient AtomicInteger underWay;
  private transient StageClient client;
  private transient Deadlines<Collection<RowData>> deadlines;

  /**
   * Makes one.
   *
   * @param calls how many Flink lets be under way at once, 1 or more
   * @param deadline of a call
   */
  StagePredictFunction(SharedConfig stages, OutputRow output, int calls, Duration deadline) {
    this.stages = stages;
    this.output = output;
    this.calls = calls;
    this.deadline = deadline;
  }

  @Override
  public void open(FunctionContext context) {
    PredictMetrics metrics = new PredictMetrics(context.getMetricGroup());
    try {
      client = SharedStages.process().open(stages, metrics);
    } catch (IndexFormatException e) { // no restart can heal that
      throw new SuppressRestartsException(e);
    }
    underWay = new AtomicInteger();
    deadlines = new Deadlines<>(deadline, this::late, "deadlines of " + output.task());
  }

  @Override
  public CompletableFuture<Collection<RowData>> asyncPredict(RowData row) {
    if (row.isNullAt(0)) {
      return CompletableFuture.completedFuture(List.of(output.nulls()));
    }
    CompletableFuture<Collection<RowData>> result = new CompletableFuture<>();
    deadlines.add(result);
    int number = underWay.incrementAndGet();
    CompletableFuture<Envelope> submitted = client.trySubmit(envelope(row.getString(0).toString()));
    CompletableFuture<Envelope> unused =
        submitted.whenComplete((record, failure) -> complete(result, record, failure));
    CompletableFuture<Collection<RowData>> unusedCancel =
        result.whenComplete((rows, failure) -> submitted.cancel(false)); // no effect if it is done
    if (number >= calls) { // Flink calls again only when one of these is done
      client.flush();
    }
    return result;
  }

  /** The text as a record; all that it has otherwise stays in Flink. */
  private static Envelope envelope(String text) {
    Sentence sentence = new Sentence("", "", "", text, Instant.EPOCH, List.of(), List.of());
    return new Envelope(
        sentence,
        null,
        new Origin("sql", -1, -1L, Instant.EPOCH),
        null,
        ByteBuffer.allocate(0),
        null);
  }

  private void complete(
      CompletableFuture<Collection<RowData>> result, Envelope record, Throwable failure) {
    underWay.decrementAndGet();
    if (failure != null) {
      result.completeExceptionally(failure);
      return;
    }
    try {
      result.complete(List.of(output.of(record)));
    } catch (RuntimeException e) { // errors fail the job, or a value cannot be made
      result.completeExceptionally(e);
    }
  }

  private void late(CompletableFuture<Collection<RowData>> result) {
    try {
      result.complete(
          List.of(
              output.error(
                  output.task()
                      + " did not answer in "
                      + deadline.toMillis()
                      + " ms; raise deadline and the query's timeout, or let fewer calls be under"
                      + " way")));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    if (deadlines != null) {
      deadlines.close();
    }
    if (client != null) {
      client.close();
    }
  }
}
