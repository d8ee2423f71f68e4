package io.latimer.pipelines.flink;

import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.schemas.Envelope;
import java.util.List;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/** Metrics of a stage's batches; updated by its device threads. */
final class StageMetrics {
  private final Histogram queueMillis;
  private final Histogram operatorMillis;
  private final Meter tokens;

  StageMetrics(MetricGroup group) {
    queueMillis =
        group.histogram(
            BatchMetrics.QUEUE_TIME.id(),
            new DescriptiveStatisticsHistogram(GathererMetrics.WINDOW));
    operatorMillis =
        group.histogram(
            BatchMetrics.OPERATOR_TIME.id(),
            new DescriptiveStatisticsHistogram(GathererMetrics.WINDOW));
    tokens = group.meter(BatchMetrics.TOKENS_PER_SECOND.id(), new MeterView(new SimpleCounter()));
  }

  synchronized void update(List<Envelope> done, long queued, long nanos) {
    queueMillis.update(queued);
    operatorMillis.update(nanos / 1_000_000);
    long count = 0;
    for (Envelope envelope : done) {
      if (envelope.getTranslation() != null) {
        count += envelope.getTranslation().getTargetTokens();
      }
    }
    tokens.markEvent(count);
  }
}
