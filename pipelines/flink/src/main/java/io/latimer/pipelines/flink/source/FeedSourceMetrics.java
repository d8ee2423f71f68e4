package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.feed.FeedMeter;
import io.latimer.pipelines.metrics.FeedMetrics;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;

/** The metrics of a feed, updated by its threads. */
final class FeedSourceMetrics implements FeedMeter {
  private static final long NO_TIME = Long.MIN_VALUE;

  private final Counter items;
  private final Counter bytes;
  private final Counter retries;
  private volatile long lastMillis = NO_TIME;

  /**
   * Registers the metrics.
   *
   * @param clock milliseconds since 1970
   */
  FeedSourceMetrics(MetricGroup group, LongSupplier clock) {
    items = group.counter(FeedMetrics.ITEMS.id(), new ThreadSafeSimpleCounter());
    bytes = group.counter(FeedMetrics.BYTES.id(), new ThreadSafeSimpleCounter());
    retries = group.counter(FeedMetrics.RETRIES.id(), new ThreadSafeSimpleCounter());
    Gauge<Long> lag =
        () -> lastMillis == NO_TIME ? -1L : Math.max(0, clock.getAsLong() - lastMillis);
    group.gauge(FeedMetrics.LAG.id(), lag);
  }

  @Override
  public void item() {
    items.inc();
  }

  @Override
  public void time(Instant time) {
    lastMillis = time.toEpochMilli();
  }

  @Override
  public void bytes(long count) {
    bytes.inc(count);
  }

  @Override
  public void retry() {
    retries.inc();
  }
}
