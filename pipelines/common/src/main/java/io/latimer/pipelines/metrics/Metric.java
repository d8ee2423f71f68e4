package io.latimer.pipelines.metrics;

/**
 * A metric of a stage's operators, independent of the engine.
 *
 * @param id its name
 * @param unit its unit
 * @param doc its meaning
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
