package io.latimer.pipelines.metrics;

import java.util.List;

/** The metrics of Kafka sources, beside those of Flink's connector. */
public final class KafkaMetrics {
  /** The name of {@link #DROPPED_TOMBSTONES} in the group that the connector gives a reader. */
  public static final String DROPPED = "droppedTombstones";

  public static final Metric DROPPED_TOMBSTONES =
      Metric.counter(
          "deserializer." + DROPPED,
          "records",
          "Records without a value that `tombstones: drop` skipped.");

  /** All metrics of Kafka sources. */
  public static final List<Metric> ALL = List.of(DROPPED_TOMBSTONES);

  private KafkaMetrics() {}
}
