package io.latimer.pipelines.sql;

import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.shared.ClientMetrics;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * The metrics of a model in a subtask, with the same names as in a job. A batch counts in each
 * subtask that has rows in it.
 */
final class PredictMetrics implements ClientMetrics {
  /** Number of values in a histogram's window. */
  private static final int WINDOW = 1_000;

  private final Histogram batchSize;
  private final Histogram queueMillis;
  private final Histogram operatorMillis;
  private final Counter failures;
  private volatile long loadMillis = -1;

  PredictMetrics(MetricGroup operator) {
    MetricGroup group = operator.addGroup("latimer");
    batchSize = histogram(group, BatchMetrics.BATCH_SIZE.id());
    queueMillis = histogram(group, BatchMetrics.QUEUE_TIME.id());
    operatorMillis = histogram(group, BatchMetrics.OPERATOR_TIME.id());
    failures = group.counter(BatchMetrics.DEAD_LETTERS.id());
    Gauge<Long> load = () -> loadMillis;
    group.gauge(BatchMetrics.INDEX_LOAD_TIME.id(), load);
  }

  private static Histogram histogram(MetricGroup group, String name) {
    return group.histogram(name, new DescriptiveStatisticsHistogram(WINDOW));
  }

  @Override
  public void opened(long nanos) {
    loadMillis = TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  /** Counts a row whose deadline has passed. */
  synchronized void late() {
    failures.inc();
  }

  @Override
  public synchronized void ended(Batch batch) {
    batchSize.update(batch.records());
    queueMillis.update(TimeUnit.NANOSECONDS.toMillis(batch.queueNanos()));
    operatorMillis.update(TimeUnit.NANOSECONDS.toMillis(batch.nanos()));
    failures.inc(batch.failures());
  }
}
