package io.latimer.pipelines.beam;

import io.latimer.pipelines.shared.ClientMetrics;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Distribution;
import org.apache.beam.sdk.metrics.Metrics;

/**
 * The metrics of a stage. Those that Beam's RunInference for Python also has use its names: {@value
 * #INFERENCES}, {@value #BATCH_SIZE}, {@value #BATCH_LATENCY} and {@value #LOAD_LATENCY}. Batches
 * end in other threads, but Beam counts only what the thread of a bundle reports.
 */
final class BundleMetrics implements ClientMetrics {
  static final String INFERENCES = "num_inferences";
  static final String FAILED = "failed_inferences";
  static final String BATCH_SIZE = "inference_batch_size";
  static final String BATCH_LATENCY = "inference_batch_latency_micro_secs";
  static final String QUEUE_LATENCY = "inference_queue_latency_micro_secs";
  static final String LOAD_LATENCY = "load_model_latency_milli_secs";

  private final Counter inferences = Metrics.counter(StageTransform.class, INFERENCES);
  private final Counter failed = Metrics.counter(StageTransform.class, FAILED);
  private final Distribution batchSize = Metrics.distribution(StageTransform.class, BATCH_SIZE);
  private final Distribution batchLatency =
      Metrics.distribution(StageTransform.class, BATCH_LATENCY);
  private final Distribution queueLatency =
      Metrics.distribution(StageTransform.class, QUEUE_LATENCY);
  private final Distribution loadLatency = Metrics.distribution(StageTransform.class, LOAD_LATENCY);

  private final Queue<Long> loads = new ConcurrentLinkedQueue<>();
  private final Queue<Batch> batches = new ConcurrentLinkedQueue<>();

  @Override
  public void opened(long nanos) {
    loads.add(nanos);
  }

  @Override
  public void ended(Batch batch) {
    batches.add(batch);
  }

  /** Reports the collected measurements; called by the thread of a bundle. */
  void flush() {
    for (Long nanos = loads.poll(); nanos != null; nanos = loads.poll()) {
      loadLatency.update(TimeUnit.NANOSECONDS.toMillis(nanos));
    }
    for (Batch batch = batches.poll(); batch != null; batch = batches.poll()) {
      inferences.inc(batch.own() - batch.failures());
      failed.inc(batch.failures());
      batchSize.update(batch.records());
      batchLatency.update(TimeUnit.NANOSECONDS.toMicros(batch.nanos()));
      queueLatency.update(TimeUnit.NANOSECONDS.toMicros(batch.queueNanos()));
    }
  }
}
