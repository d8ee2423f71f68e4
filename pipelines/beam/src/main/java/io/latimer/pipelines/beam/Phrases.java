package io.latimer.pipelines.beam;

import java.util.Map;

/**
 * Looks up the phrases of texts in an indexed parallel text; the stage {@code phrases} of a job.
 */
public final class Phrases extends StageTransform<Phrases> {
  private static final long serialVersionUID = 1L;

  public Phrases(Map<String, String> settings, IndexUpdates updates) {
    super("phrases", settings, updates);
  }

  /**
   * The transform with its defaults.
   *
   * @param index path of a phrase index on all workers, relative to the working folder; or an http
   *     or https URL, with the setting {@code sha256}
   */
  public static Phrases withIndex(String index) {
    return new Phrases(Map.of("index", index), IndexUpdates.NONE);
  }

  @Override
  Phrases copy(Map<String, String> settings, IndexUpdates updates) {
    return new Phrases(settings, updates);
  }
}
