package io.latimer.pipelines.beam;

import java.util.Map;

/** Scores texts with a language model; the stage {@code score} of a job. */
public final class Score extends StageTransform<Score> {
  private static final long serialVersionUID = 1L;

  public Score(Map<String, String> settings, IndexUpdates updates) {
    super("score", settings, updates);
  }

  /**
   * The transform with its defaults.
   *
   * @param model path of a language model on all workers, relative to the working folder; or an
   *     http or https URL, with the setting {@code sha256}
   */
  public static Score withModel(String model) {
    return new Score(Map.of("model", model), IndexUpdates.NONE);
  }

  @Override
  Score copy(Map<String, String> settings, IndexUpdates updates) {
    return new Score(settings, updates);
  }
}
