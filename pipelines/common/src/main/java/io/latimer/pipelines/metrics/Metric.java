package io.latimer.pipelines.metrics;

import java.util.List;

/**
 * A metric of a job's operators, independent of the engine.
 *
 * @param id its name, after that of a group within its operator and a dot if it is in one
 * @param unit its unit; empty if it has none
 * @param labels what tells metrics of the same name in one operator apart, such as {@code stage}:
 *     each is a group of metrics, in this order
 * @param doc its meaning
 */
public record Metric(String id, Kind kind, String unit, List<String> labels, String doc) {
  /** What Flink's Prometheus reporter puts before the names of an operator's metrics. */
  private static final String PROMETHEUS = "flink_taskmanager_job_task_operator_";

  /** What kind of metric it is. */
  public enum Kind {
    COUNTER,
    GAUGE,
    METER,
    HISTOGRAM
  }

  public Metric {
    labels = List.copyOf(labels);
  }

  /** One without labels. */
  Metric(String id, Kind kind, String unit, String doc) {
    this(id, kind, unit, List.of(), doc);
  }

  /** The name that Flink's Prometheus reporter gives it. */
  public String prometheusName() {
    StringBuilder name = new StringBuilder(PROMETHEUS);
    labels.forEach(label -> name.append(label).append('_'));
    return name.append(id.replace('.', '_')).toString();
  }
}
