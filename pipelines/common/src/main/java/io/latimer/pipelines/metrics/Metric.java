package io.latimer.pipelines.metrics;

/**
 * A metric of a stage's operators, whatever engine shows it.
 *
 * @param id its name
 * @param unit in what it counts
 * @param doc what it says
 */
public record Metric(String id, Kind kind, String unit, String doc) {

  /** What kind of metric it is. */
  public enum Kind {
    COUNTER,
    GAUGE,
    METER,
    HISTOGRAM
  }
}
