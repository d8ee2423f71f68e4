package io.latimer.pipelines.metrics;

import io.latimer.pipelines.metrics.Metric.Kind;
import java.util.List;

/** The metrics of live feeds. */
public final class FeedMetrics {
  public static final Metric ITEMS =
      new Metric(
          "feedItems",
          Kind.COUNTER,
          "items",
          "Events, messages, new entries, cues or lines that were read, including those that are"
              + " skipped, such as events that `where` does not match.");
  public static final Metric BYTES =
      new Metric(
          "feedBytes",
          Kind.COUNTER,
          "bytes",
          "What was read of contents, messages and files; documents as they are packed.");
  public static final Metric RETRIES =
      new Metric(
          "feedRetries",
          Kind.COUNTER,
          "errors",
          "Errors after which the feed is tried again. Connections that a server ends after"
              + " something new are not counted.");
  public static final Metric LAG =
      new Metric(
          "feedLag",
          Kind.GAUGE,
          "milliseconds",
          "Current time minus the time that the source gives the last item, so it also grows while"
              + " there is nothing new; 0 for times in the future. -1 before the first one, and for"
              + " `lines`, `stdin` and `captions` without `start`, which have no times.");

  /** All metrics of feeds. */
  public static final List<Metric> ALL = List.of(ITEMS, BYTES, RETRIES, LAG);

  private FeedMetrics() {}
}
