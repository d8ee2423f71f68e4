package io.latimer.pipelines.flink.task;

import io.latimer.pipelines.metrics.Metric;
import java.util.List;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/** Registers metrics with labels; each label is a metric group in Flink. */
public final class Labels {
  /** Number of values in a histogram's window. */
  private static final int WINDOW = 1_000;

  private Labels() {}

  /**
   * Adds the metric groups for a metric's labels.
   *
   * @param values of its labels
   */
  public static MetricGroup add(MetricGroup operator, Metric metric, String... values) {
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

  /** Registers a histogram of the latest values. */
  public static Histogram histogram(MetricGroup operator, Metric metric, String... values) {
    return add(operator, metric, values)
        .histogram(metric.id(), new DescriptiveStatisticsHistogram(WINDOW));
  }
}
