package io.latimer.pipelines.record;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.List;

/** Makes new envelopes of old ones, which stay as they are. */
public final class Envelopes {
  private Envelopes() {}

  /** The record with another translation. */
  public static Envelope with(Envelope envelope, Translation translation) {
    return new Envelope(
        envelope.getSentence(),
        translation,
        envelope.getOrigin(),
        envelope.getKey(),
        envelope.getOriginal(),
        envelope.getFailure());
  }

  /** The timings that a record has so far, and more. */
  public static List<StageTiming> timings(Envelope envelope, List<StageTiming> more) {
    List<StageTiming> all = new ArrayList<>();
    if (envelope.getTranslation() != null) {
      all.addAll(envelope.getTranslation().getTimings());
    }
    all.addAll(more);
    return all;
  }

  /** What language models have said of the record so far. */
  public static List<LanguageScore> languageScores(Envelope envelope) {
    return envelope.getTranslation() == null
        ? List.of()
        : envelope.getTranslation().getLanguageScores();
  }

  /**
   * The record's translation, to be changed; where there is none, the sentence stands for it.
   *
   * @param modelId what stands for the model where there is no translation
   */
  public static Translation.Builder translation(Envelope envelope, String modelId) {
    if (envelope.getTranslation() != null) {
      return Translation.newBuilder(envelope.getTranslation());
    }
    Sentence sentence = envelope.getSentence();
    return Translation.newBuilder()
        .setSource(sentence)
        .setTargetLanguage(sentence.getLanguage())
        .setText(sentence.getText())
        .setModelId(modelId);
  }
}
