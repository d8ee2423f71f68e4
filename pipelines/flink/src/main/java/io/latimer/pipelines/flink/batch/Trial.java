package io.latimer.pipelines.flink.batch;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.stage.GroupCall;
import io.latimer.pipelines.stage.StageVersions;
import io.latimer.pipelines.stage.TimeLimit;
import io.latimer.schemas.Envelope;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Records that stages process beside the batches; they are in no state, and reach no sink. */
final class Trial implements Runnable {
  private final List<Envelope> records;
  private final StageVersions.Use use;
  private final TimeLimit limit;
  private final Function<GroupCall, Throwable> hangs;
  private final CompletableFuture<List<Envelope>> results = new CompletableFuture<>();

  /**
   * Makes a trial.
   *
   * @param use released when it has run
   * @param limit maximum time that the stages may work
   * @param hangs told of a call that hangs, in the timer's thread; returns the failure
   */
  Trial(
      List<Envelope> records,
      StageVersions.Use use,
      TimeLimit limit,
      Function<GroupCall, Throwable> hangs) {
    this.records = List.copyOf(records);
    this.use = use;
    this.limit = limit;
    this.hangs = hangs;
  }

  /** Processes the records, unless nobody waits for them any more. */
  @Override
  public void run() {
    try (use) {
      if (!results.isDone()) {
        GroupCall call = use.group().call(records, 0);
        results.complete(
            call.run(limit, hanging -> results.completeExceptionally(hangs.apply(hanging))));
      }
    } catch (Throwable e) { // also errors, of which whoever waits must learn
      results.completeExceptionally(e);
    }
  }

  /**
   * Waits for the results.
   *
   * @return as many records, in the same order; one that cannot be processed has a failure
   * @throws OperatorException if they cannot be processed, or not in time
   */
  List<Envelope> await(Duration patience) {
    try {
      return results.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException("the task ends", e);
    } catch (TimeoutException e) {
      throw new OperatorException("no result in " + patience.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new OperatorException(e.getCause().toString(), e.getCause());
    } finally {
      results.cancel(false);
    }
  }
}
