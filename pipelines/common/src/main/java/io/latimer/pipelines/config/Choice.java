package io.latimer.pipelines.config;

/**
 * One of several sections, with its settings.
 *
 * @param settings of the section that was chosen
 */
public record Choice(Settings settings) {
  /** The name of the section that was chosen. */
  public String kind() {
    return settings.section().name();
  }
}
