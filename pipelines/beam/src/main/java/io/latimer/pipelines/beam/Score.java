package io.latimer.pipelines.beam;

import java.util.Map;

/** Scores texts with a language model; the stage {@code score} of a job. */
public final class Score extends StageTransform<Score> {
  private static final long serialVersionUID = 1L;

  Score(Map<String, String> settings, IndexUpdates updates) {
    super("score", settings, updates);
  }

  /**
   * The transform with its defaults.
   *
   * @param model path of a language model, which all workers must have there; relative to the
   *     working folder. Or an http or https address, with the setting {@code sha256}
   */
  public static Score withModel(String model) {
    return new Score(Map.of("model", model), IndexUpdates.NONE);
  }

  @Override
  Score copy(Map<String, String> settings, IndexUpdates updates) {
    return new Score(settings, updates);
  }
}
