package io.latimer.pipelines.metrics;

import java.util.List;

/** The metrics of sinks of records. */
public final class SinkMetrics {
  public static final Metric EVENT_TIME_LATENCY =
      Metric.time(
          "eventTimeLatency",
          "Time from a record's event time to its writing; 0 for event times in the future.");
  public static final Metric INGESTION_TIME_LATENCY =
      Metric.time(
          "ingestionTimeLatency",
          "The same from the source's own timestamp, such as Kafka's, or the time of reading if the"
              + " source has none.");

  /** All metrics of sinks of records. */
  public static final List<Metric> ALL = List.of(EVENT_TIME_LATENCY, INGESTION_TIME_LATENCY);

  private SinkMetrics() {}
}
