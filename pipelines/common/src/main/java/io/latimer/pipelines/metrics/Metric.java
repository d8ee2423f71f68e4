package io.latimer.pipelines.metrics;

import java.util.List;

/**
 * A metric of a job's operators, independent of the engine.
 *
 * @param id its name; prefixed with the name of its group within the operator and a dot, if it has
 *     one
 * @param unit its unit; empty if it has none
 * @param labels label names that distinguish metrics of the same name in an operator, such as
 *     {@code stage}; each is a metric group, in this order
 * @param doc its meaning
 */
public record Metric(String id, Kind kind, String unit, List<String> labels, String doc) {
  /** The prefix of Flink's Prometheus reporter for an operator's metrics. */
  private static final String PROMETHEUS = "flink_taskmanager_job_task_operator_";

  /** The kind of a metric. */
  public enum Kind {
    COUNTER,
    GAUGE,
    METER,
    HISTOGRAM
  }

  public Metric {
    labels = List.copyOf(labels);
  }

  static Metric counter(String id, String unit, String doc, String... labels) {
    return new Metric(id, Kind.COUNTER, unit, List.of(labels), doc);
  }

  static Metric gauge(String id, String unit, String doc, String... labels) {
    return new Metric(id, Kind.GAUGE, unit, List.of(labels), doc);
  }

  static Metric meter(String id, String unit, String doc) {
    return new Metric(id, Kind.METER, unit, List.of(), doc);
  }

  static Metric histogram(String id, String unit, String doc) {
    return new Metric(id, Kind.HISTOGRAM, unit, List.of(), doc);
  }

  /** A histogram of times in milliseconds. */
  static Metric time(String id, String doc, String... labels) {
    return new Metric(id, Kind.HISTOGRAM, "milliseconds", List.of(labels), doc);
  }

  /** The name that Flink's Prometheus reporter gives it. */
  public String prometheusName() {
    StringBuilder name = new StringBuilder(PROMETHEUS);
    labels.forEach(label -> name.append(label).append('_'));
    return name.append(id.replace('.', '_')).toString();
  }
}
