package io.latimer.pipelines.flink.batch;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.flink.task.Labels;
import io.latimer.pipelines.metrics.BatchMetrics;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;

/** Metrics of batches: their sizes, and why they were closed. */
final class GathererMetrics {
  private final Histogram size;
  private final Map<MicroBatcher.Fill, Counter> fills = new EnumMap<>(MicroBatcher.Fill.class);

  /**
   * Registers the metrics.
   *
   * @param open supplies the number of records in the open batch; called by any thread
   */
  GathererMetrics(MetricGroup group, IntSupplier open) {
    size = Labels.histogram(group, BatchMetrics.BATCH_SIZE);
    for (MicroBatcher.Fill fill : MicroBatcher.Fill.values()) {
      String name = fill.name().toLowerCase(Locale.ROOT);
      fills.put(fill, Labels.add(group, BatchMetrics.FILLS, name).counter(BatchMetrics.FILLS.id()));
    }
    Gauge<Integer> records = open::getAsInt;
    group.gauge(BatchMetrics.OPEN_RECORDS.id(), records);
  }

  void closed(MicroBatcher.Closed<?> batch) {
    size.update(batch.records().size());
    fills.get(batch.fill()).inc();
  }
}
