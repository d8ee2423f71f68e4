package io.latimer.pipelines.record;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;

/** Derives new envelopes from old ones, which are not changed. */
public final class Envelopes {
  private Envelopes() {}

  /** The record with another translation. */
  public static Envelope with(Envelope envelope, Translation translation) {
    Envelope copy = copy(envelope);
    copy.setTranslation(translation);
    return copy;
  }

  /** The record with the reason why it cannot be processed. */
  static Envelope with(Envelope envelope, DeadLetter failure) {
    Envelope copy = copy(envelope);
    copy.setFailure(failure);
    return copy;
  }

  /** An envelope of the same values, which are shared: a builder would copy all texts. */
  private static Envelope copy(Envelope envelope) {
    Envelope copy = new Envelope();
    for (Schema.Field field : envelope.getSchema().getFields()) {
      copy.put(field.pos(), envelope.get(field.pos()));
    }
    return copy;
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

  /**
   * A builder of the record's translation, with all that earlier stages added to it; if there is
   * none, the sentence takes its place.
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
