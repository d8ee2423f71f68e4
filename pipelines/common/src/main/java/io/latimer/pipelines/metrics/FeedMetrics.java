package io.latimer.pipelines.metrics;

import java.util.List;

/** The metrics of live feeds. */
public final class FeedMetrics {
  public static final Metric ITEMS =
      Metric.counter(
          "feedItems",
          "items",
          "Events, messages, new entries, cues or lines that were read, including those that are"
              + " skipped, such as events that `where` does not match.");
  public static final Metric BYTES =
      Metric.counter(
          "feedBytes",
          "bytes",
          "What was read of contents, messages and files; documents as they are packed.");
  public static final Metric RETRIES =
      Metric.counter(
          "feedRetries",
          "errors",
          "Errors after which the feed is tried again. Connections that a server ends after"
              + " something new are not counted.");
  public static final Metric LAG =
      Metric.gauge(
          "feedLag",
          "milliseconds",
          "Current time minus the time that the source gives the last item, so it also grows while"
              + " there is nothing new; 0 for times in the future. -1 before the first one, and for"
              + " `lines`, `stdin` and `captions` without `start`, which have no times.");

  /** All metrics of feeds. */
  public static final List<Metric> ALL = List.of(ITEMS, BYTES, RETRIES, LAG);

  private FeedMetrics() {}
}
