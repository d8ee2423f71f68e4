package io.latimer.pipelines.beam;

import java.util.Map;

/** Checks texts against a grammar; the stage {@code grammar-check} of a job. */
public final class GrammarCheck extends StageTransform<GrammarCheck> {
  private static final long serialVersionUID = 1L;

  public GrammarCheck(Map<String, String> settings, IndexUpdates updates) {
    super("grammar-check", settings, updates);
  }

  /**
   * The transform with its defaults.
   *
   * @param grammar path of a grammar on all workers, relative to the working folder; or an http or
   *     https URL, with the setting {@code sha256}
   */
  public static GrammarCheck withGrammar(String grammar) {
    return new GrammarCheck(Map.of("grammar", grammar), IndexUpdates.NONE);
  }

  @Override
  GrammarCheck copy(Map<String, String> settings, IndexUpdates updates) {
    return new GrammarCheck(settings, updates);
  }
}
