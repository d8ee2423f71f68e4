package io.latimer.pipelines;

/** The metrics of a stage that makes tables, in the groups of its operators. */
public enum TableMetrics {
  COUNTED("countedRecords", "counter", "records", "Records whose counts were handed on."),
  PARTS("parts", "counter", "parts", "How often counts of a pane were handed on to be merged."),
  OPEN_PANES("openPanes", "gauge", "panes", "Panes whose counts are held and not yet handed on."),
  LATE(
      "lateRecords",
      "counter",
      "records",
      "Records that came too late for a window or more, even with the allowed lateness."),
  TABLES("tables", "counter", "tables", "Tables that were made, running ones included.");

  private final String id;
  private final String kind;
  private final String unit;
  private final String doc;

  TableMetrics(String id, String kind, String unit, String doc) {
    this.id = id;
    this.kind = kind;
    this.unit = unit;
    this.doc = doc;
  }

  /** Its name. */
  public String id() {
    return id;
  }

  /** What kind of metric it is. */
  public String kind() {
    return kind;
  }

  /** In what it counts. */
  public String unit() {
    return unit;
  }

  /** What it says. */
  public String doc() {
    return doc;
  }
}
