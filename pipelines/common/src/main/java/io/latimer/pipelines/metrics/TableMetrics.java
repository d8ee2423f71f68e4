package io.latimer.pipelines.metrics;

import io.latimer.pipelines.metrics.Metric.Kind;
import java.util.List;

/** The metrics of stages that make tables, by their operators. */
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

  /** Of the operator that counts. */
  public static final List<Metric> COUNT =
      List.of(
          COUNTED,
          PARTS,
          OPEN_PANES,
          BatchMetrics.GPU,
          BatchMetrics.GPU_MEMORY,
          BatchMetrics.GPU_MEMORY_USED,
          BatchMetrics.DEAD_LETTERS,
          BatchMetrics.DEAD_LETTER_REASONS);

  /** Of the operator that merges counts. */
  public static final List<Metric> MERGE = List.of(TABLES, LATE);

  private TableMetrics() {}
}
