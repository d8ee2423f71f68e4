package io.latimer.pipelines.beam;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.shared.SharedConfig;
import io.latimer.pipelines.shared.SharedStages;
import io.latimer.pipelines.shared.StageClient;
import io.latimer.schemas.Envelope;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.TupleTag;
import org.joda.time.Instant;

/**
 * Submits the records of a bundle to the shared stages as they arrive, and outputs their results in
 * order in the bundle's thread: those that are ready along with a later element, the rest when the
 * bundle ends.
 *
 * @param <I> elements
 * @param <O> type of processed elements
 * @param <F> type of refused elements
 */
final class StageFn<I, O, F> extends BundleFn<I, O> {
  private static final long serialVersionUID = 1L;

  private final SharedConfig config;
  private final IndexUpdates updates;
  private final RecordShape<I, O, F> shape;
  private final TupleTag<O> successes;
  private final TupleTag<F> failures;

  private transient BundleMetrics metrics;
  private transient StageClient client;
  private transient IndexFollower follower;
  private transient Deque<Submitted<I>> underWay;
  private transient boolean begun;

  StageFn(
      SharedConfig config,
      IndexUpdates updates,
      RecordShape<I, O, F> shape,
      TupleTag<O> successes,
      TupleTag<F> failures) {
    this.config = config;
    this.updates = updates;
    this.shape = shape;
    this.successes = successes;
    this.failures = failures;
  }

  /** An element whose result may still be pending. */
  private record Submitted<I>(
      I element,
      Instant timestamp,
      BoundedWindow window,
      PaneInfo pane,
      CompletableFuture<Envelope> result) {}

  /** Opens the stage, unless another function in this process has opened it. */
  @Setup
  public void setup() {
    metrics = new BundleMetrics();
    underWay = new ArrayDeque<>();
    client = SharedStages.process().open(config, metrics);
    String stage = config.stages().get(0).name();
    follower = new IndexFollower(updates, index -> client.use(stage, index), System::nanoTime);
  }

  /** Discards a failed bundle, which the runner retries. */
  @StartBundle
  public void startBundle() {
    underWay.clear();
    begun = false;
  }

  /** Submits an element, and outputs results that are ready. */
  @ProcessElement
  public void process(ProcessContext context, BoundedWindow window, MultiOutputReceiver out)
      throws InterruptedException {
    if (!begun) {
      begun = true;
      follower.update(updates.paths() == null ? "" : context.sideInput(updates.paths()));
    }
    Envelope record = shape.record().apply(context.element());
    underWay.add(
        new Submitted<>(
            context.element(),
            context.timestamp(),
            window,
            context.pane(),
            record.getFailure() == null
                ? client.submit(record)
                : CompletableFuture.completedFuture(record)));
    while (!underWay.isEmpty() && underWay.peek().result().isDone()) {
      Submitted<I> ready = underWay.remove();
      Envelope result = await(ready.result());
      if (result.getFailure() == null) {
        put(out.get(successes), ready, shape.success().apply(ready.element(), result));
      } else {
        put(out.get(failures), ready, failed(ready.element(), result));
      }
    }
    metrics.flush();
  }

  private static <I, R> void put(OutputReceiver<R> out, Submitted<I> of, R result) {
    out.outputWindowedValue(result, of.timestamp(), List.of(of.window()), of.pane());
  }

  private F failed(I element, Envelope result) {
    return shape.failure().apply(element, result.getFailure());
  }

  /** Waits for pending results and outputs them. */
  @FinishBundle
  public void finishBundle(FinishBundleContext out) throws InterruptedException {
    if (!underWay.isEmpty()) {
      client.flush();
    }
    while (!underWay.isEmpty()) {
      Submitted<I> next = underWay.remove();
      Envelope result = await(next.result());
      if (result.getFailure() == null) {
        O success = shape.success().apply(next.element(), result);
        out.output(successes, success, next.timestamp(), next.window());
      } else {
        F failure = failed(next.element(), result);
        out.output(failures, failure, next.timestamp(), next.window());
      }
    }
    metrics.flush();
  }

  /** Releases the stage; the last function in this process closes it. */
  @Teardown
  public void teardown() {
    if (client != null) {
      client.close();
      client = null;
    }
  }

  private static Envelope await(CompletableFuture<Envelope> result) throws InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      // rethrown, because its stack trace is of another thread, and this one shows which bundle
      // failed
      throw new OperatorException(e.getCause().getMessage(), e.getCause());
    }
  }
}
