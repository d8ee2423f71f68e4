package io.latimer.pipelines.config;

/**
 * The chosen one of several sections, with its settings.
 *
 * @param settings of the chosen section
 */
public record Choice(Settings settings) {
  /** The name of the chosen section. */
  public String kind() {
    return settings.section().name();
  }
}
