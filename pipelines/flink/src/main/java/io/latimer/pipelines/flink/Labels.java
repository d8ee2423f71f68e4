package io.latimer.pipelines.flink;

import io.latimer.pipelines.metrics.Metric;
import java.util.List;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/** Registers metrics with labels, each of which is a group of metrics to Flink. */
final class Labels {
  /** The values that a histogram has. */
  private static final int WINDOW = 1_000;

  private Labels() {}

  /**
   * The group of a metric.
   *
   * @param values of its labels
   */
  static MetricGroup add(MetricGroup operator, Metric metric, String... values) {
    List<String> labels = metric.labels();
    if (labels.size() != values.length) {
      throw new IllegalArgumentException(metric.id() + " has the labels " + labels);
    }
    MetricGroup group = operator;
    for (int i = 0; i < values.length; i++) {
      group = group.addGroup(labels.get(i), values[i]);
    }
    return group;
  }

  /** A histogram of the last values. */
  static Histogram histogram(MetricGroup operator, Metric metric, String... values) {
    return add(operator, metric, values)
        .histogram(metric.id(), new DescriptiveStatisticsHistogram(WINDOW));
  }
}
