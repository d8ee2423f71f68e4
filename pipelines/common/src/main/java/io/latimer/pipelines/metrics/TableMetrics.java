package io.latimer.pipelines.metrics;

import java.util.List;

/** The metrics of stages that make tables, by operator. */
public final class TableMetrics {
  public static final Metric COUNTED =
      Metric.counter("countedRecords", "records", "Records whose counts were sent to be merged.");
  public static final Metric PARTS =
      Metric.counter(
          "parts", "parts", "Number of times that counts of a pane were sent to be merged.");
  public static final Metric COUNT_SIZE =
      Metric.histogram(
          "countSize",
          "records",
          "Records that were counted together, in one call: those of a pane that had come until"
              + " `batch-bytes` were there, the pane ended, or a checkpoint began.");
  public static final Metric COUNT_TIME =
      Metric.time(
          "countTime", "Time to count them: the whole call, with its transfers and kernels.");
  public static final Metric PART_TIME =
      Metric.time(
          "partTime",
          "Time to take the counts of a pane from the device and to sort and pack them, before they"
              + " are sent.");
  public static final Metric OPEN_PANES =
      Metric.gauge("openPanes", "panes", "Panes with counts that were not sent yet.");
  public static final Metric LATE =
      Metric.counter(
          "lateRecords",
          "records",
          "Records that were too late for at least one window, even with the allowed lateness.");
  public static final Metric TABLES =
      Metric.counter("tables", "tables", "Tables written, including running ones.");

  public static final Metric MERGE_TIME =
      Metric.time(
          "mergeTime",
          "Time to merge what was sent at once into the state of a pane, or into running totals.");
  public static final Metric ASSEMBLE_TIME =
      Metric.time(
          "assembleTime",
          "Time that a feed's tables took, or those of all feeds together, that a watermark made"
              + " due: to merge their panes, and what ended into running totals. For `ngrams`, with"
              + " `tableTime`.");
  public static final Metric TABLE_TIME =
      Metric.time(
          "tableTime",
          "Time to make one table of its merged counts. For `estimate`, to estimate a model and to"
              + " publish its file, beside the task.");
  public static final Metric DUE_TABLES =
      Metric.gauge(
          "dueTables",
          "tables",
          "Models of `estimate` that are due and not published yet, the one in work included;"
              + " always 0 for `ngrams`.");

  /** Metrics of the operator that counts. */
  public static final List<Metric> COUNT =
      List.of(
          COUNTED,
          PARTS,
          COUNT_SIZE,
          COUNT_TIME,
          PART_TIME,
          OPEN_PANES,
          BatchMetrics.GPU,
          BatchMetrics.GPU_MEMORY,
          BatchMetrics.GPU_MEMORY_USED,
          BatchMetrics.DEAD_LETTERS,
          BatchMetrics.DEAD_LETTER_REASONS);

  /** Metrics of the operator that merges counts. */
  public static final List<Metric> MERGE =
      List.of(TABLES, LATE, MERGE_TIME, ASSEMBLE_TIME, TABLE_TIME, DUE_TABLES);

  private TableMetrics() {}
}
