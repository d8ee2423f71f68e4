package io.latimer.pipelines.metrics;

import io.latimer.pipelines.metrics.Metric.Kind;
import java.util.List;

/** The metrics of a stage that makes tables, in the groups of its operators. */
public final class TableMetrics {
  public static final Metric COUNTED =
      new Metric("countedRecords", Kind.COUNTER, "records", "Records whose counts were handed on.");
  public static final Metric PARTS =
      new Metric(
          "parts",
          Kind.COUNTER,
          "parts",
          "How often counts of a pane were handed on to be merged.");
  public static final Metric OPEN_PANES =
      new Metric(
          "openPanes", Kind.GAUGE, "panes", "Panes whose counts are held and not yet handed on.");
  public static final Metric LATE =
      new Metric(
          "lateRecords",
          Kind.COUNTER,
          "records",
          "Records that came too late for a window or more, even with the allowed lateness.");
  public static final Metric TABLES =
      new Metric("tables", Kind.COUNTER, "tables", "Tables that were made, running ones included.");

  /** All of them; {@link BatchMetrics#DEAD_LETTERS} counts what such a stage refuses, too. */
  public static final List<Metric> ALL =
      List.of(COUNTED, PARTS, OPEN_PANES, LATE, TABLES, BatchMetrics.DEAD_LETTERS);

  private TableMetrics() {}
}
