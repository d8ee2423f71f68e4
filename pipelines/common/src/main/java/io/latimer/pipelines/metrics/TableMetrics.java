package io.latimer.pipelines.metrics;

import io.latimer.pipelines.metrics.Metric.Kind;
import java.util.List;

/** The metrics of a stage that makes tables, registered in the groups of its operators. */
public final class TableMetrics {
  public static final Metric COUNTED =
      new Metric(
          "countedRecords",
          Kind.COUNTER,
          "records",
          "Records whose counts were sent to be merged.");
  public static final Metric PARTS =
      new Metric(
          "parts",
          Kind.COUNTER,
          "parts",
          "Number of times that counts of a pane were sent to be merged.");
  public static final Metric OPEN_PANES =
      new Metric("openPanes", Kind.GAUGE, "panes", "Panes with counts that were not sent yet.");
  public static final Metric LATE =
      new Metric(
          "lateRecords",
          Kind.COUNTER,
          "records",
          "Records that were too late for at least one window, even with the allowed lateness.");
  public static final Metric TABLES =
      new Metric("tables", Kind.COUNTER, "tables", "Tables written, including running ones.");

  /** All of them, including those that {@link BatchMetrics} has for such a stage, too. */
  public static final List<Metric> ALL =
      List.of(
          COUNTED, PARTS, OPEN_PANES, LATE, TABLES, BatchMetrics.DEAD_LETTERS, BatchMetrics.GPU);

  private TableMetrics() {}
}
