package io.latimer.pipelines.metrics;

import io.latimer.pipelines.metrics.Metric.Kind;
import java.util.List;

/** The metrics of Kafka sources, beside those of Flink's connector. */
public final class KafkaMetrics {
  /** The name of {@link #DROPPED_TOMBSTONES} in the group that the connector gives a reader. */
  public static final String DROPPED = "droppedTombstones";

  public static final Metric DROPPED_TOMBSTONES =
      new Metric(
          "deserializer." + DROPPED,
          Kind.COUNTER,
          "records",
          "Records without a value that `tombstones: drop` skipped.");

  /** All metrics of Kafka sources. */
  public static final List<Metric> ALL = List.of(DROPPED_TOMBSTONES);

  private KafkaMetrics() {}
}
