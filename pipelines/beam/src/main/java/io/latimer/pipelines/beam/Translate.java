package io.latimer.pipelines.beam;

import java.util.Map;

/** Translates with a translation model, or by phrases; the stage {@code translate} of a job. */
public final class Translate extends StageTransform<Translate> {
  private static final long serialVersionUID = 1L;

  public Translate(Map<String, String> settings, IndexUpdates updates) {
    super("translate", settings, updates);
  }

  /**
   * The transform with its defaults.
   *
   * @param model path of a translation model on all workers, relative to the working folder; or an
   *     http or https URL, with the setting {@code sha256}
   */
  public static Translate withModel(String model) {
    return new Translate(Map.of("model", model), IndexUpdates.NONE);
  }

  /**
   * The transform for phrase-based translation, without a neural model, with its defaults.
   *
   * @param phrases path of a phrase index on all workers, relative to the working folder; or an
   *     http or https URL, with the setting {@code sha256}
   * @param languageModel likewise, of a language model of the target language, with the setting
   *     {@code language-model-sha256}
   */
  public static Translate withPhrases(String phrases, String languageModel) {
    return new Translate(
        Map.of("phrases", phrases, "language-model", languageModel), IndexUpdates.NONE);
  }

  @Override
  Translate copy(Map<String, String> settings, IndexUpdates updates) {
    return new Translate(settings, updates);
  }
}
