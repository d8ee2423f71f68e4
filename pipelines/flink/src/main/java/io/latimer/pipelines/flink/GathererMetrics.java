package io.latimer.pipelines.flink;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.metrics.BatchMetrics;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/** The sizes of a stage's batches, and why they were closed. */
final class GathererMetrics {
  static final int WINDOW = 1_000;

  private final Histogram size;
  private final Map<MicroBatcher.Fill, Counter> fills = new EnumMap<>(MicroBatcher.Fill.class);

  GathererMetrics(MetricGroup group) {
    size =
        group.histogram(BatchMetrics.BATCH_SIZE.id(), new DescriptiveStatisticsHistogram(WINDOW));
    for (MicroBatcher.Fill fill : MicroBatcher.Fill.values()) {
      fills.put(
          fill,
          group
              .addGroup("fill", fill.name().toLowerCase(Locale.ROOT))
              .counter(BatchMetrics.FILLS.id()));
    }
  }

  void closed(MicroBatcher.Closed<?> batch) {
    size.update(batch.records().size());
    fills.get(batch.fill()).inc();
  }
}
