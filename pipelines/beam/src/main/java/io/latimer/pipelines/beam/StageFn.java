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
 * Hands the records of a bundle to the shared stages as they come, and puts out their results in
 * order in the bundle's thread: those that are ready with a later element, the others when the
 * bundle ends.
 *
 * @param <I> elements
 * @param <O> elements that the stage processed
 * @param <F> elements that it refused
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

  /** An element whose result may be missing yet. */
  private record Submitted<I>(
      I element,
      Instant timestamp,
      BoundedWindow window,
      PaneInfo pane,
      CompletableFuture<Envelope> result) {}

  /** Opens the stage, if no other function in this process has. */
  @Setup
  public void setup() {
    metrics = new BundleMetrics();
    underWay = new ArrayDeque<>();
    client = SharedStages.process().open(config, metrics);
    String stage = config.stages().get(0).name();
    follower = new IndexFollower(updates, index -> client.use(stage, index), System::nanoTime);
  }

  /** Forgets a bundle that failed: the runner repeats it. */
  @StartBundle
  public void startBundle() {
    underWay.clear();
    begun = false;
  }

  /** Submits an element, and puts out what is ready. */
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

  /** Waits for what is under way. */
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

  /** The last one in this process closes the stage. */
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
      // its stack is that of another thread: this one says which bundle failed
      throw new OperatorException(e.getCause().getMessage(), e.getCause());
    }
  }
}
