package io.latimer.pipelines.record;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.List;

/** Derives new envelopes from old ones, which are not changed. */
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

  /** The timings of a record so far, and additional ones. */
  public static List<StageTiming> timings(Envelope envelope, List<StageTiming> more) {
    List<StageTiming> all = new ArrayList<>();
    if (envelope.getTranslation() != null) {
      all.addAll(envelope.getTranslation().getTimings());
    }
    all.addAll(more);
    return all;
  }

  /** The record's language model scores so far. */
  public static List<LanguageScore> languageScores(Envelope envelope) {
    return envelope.getTranslation() == null
        ? List.of()
        : envelope.getTranslation().getLanguageScores();
  }

  /**
   * A builder of the record's translation; if there is none, the sentence takes its place.
   *
   * @param modelId the model's id if there is no translation
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
