package io.latimer.operators.smt;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import java.util.Optional;

/** Usual options of {@link TranslateByPhrases}. */
public final class UsualOptions {
  private UsualOptions() {}

  /** One device, one translation with its score, no alignment. */
  public static TranslateByPhrasesOptions of(IndexRef languageModel, PhraseText text) {
    return new TranslateByPhrasesOptions(
        languageModel,
        "",
        text,
        FeatureWeights.DEFAULT,
        SearchOptions.DEFAULT,
        PhraseOptions.DEFAULT,
        true,
        false,
        Optional.empty(),
        Phrases.GPU_BYTES);
  }
}
