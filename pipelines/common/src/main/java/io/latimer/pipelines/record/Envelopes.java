package io.latimer.pipelines.record;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;

/** Makes envelopes of texts, and derives new ones from old ones, which are not changed. */
public final class Envelopes {
  /** An empty translation with default values. */
  private static final Translation NONE =
      Translation.newBuilder()
          .setSource(new Sentence("", "", "", "", Instant.EPOCH, List.of(), List.of()))
          .setTargetLanguage("")
          .setText("")
          .setModelId("")
          .build();

  private Envelopes() {}

  /**
   * A record of a text alone, in no language.
   *
   * @param origin names where it came from
   */
  public static Envelope of(String text, String origin) {
    return new Envelope(
        new Sentence("", "", "", text, Instant.EPOCH, List.of(), List.of()),
        null,
        new SourcePosition(origin, -1, -1L, Instant.EPOCH),
        null,
        ByteBuffer.allocate(0),
        null);
  }

  /** A copy of the record with another translation. */
  public static Envelope with(Envelope envelope, Translation translation) {
    Envelope copy = copy(envelope);
    copy.setTranslation(translation);
    return copy;
  }

  /** A copy of the record with the reason why it cannot be processed. */
  static Envelope with(Envelope envelope, DeadLetter failure) {
    Envelope copy = copy(envelope);
    copy.setFailure(failure);
    return copy;
  }

  /** Whether the record is a tombstone, a key without a value, to be forwarded to the sinks. */
  public static boolean isTombstone(Envelope envelope) {
    DeadLetter failure = envelope.getFailure();
    return failure != null && failure.getErrorClass().equals(TombstoneException.class.getName());
  }

  /** The record's headers, even if it could not be read. */
  public static List<Header> headers(Envelope envelope) {
    if (envelope.getSentence() != null) {
      return envelope.getSentence().getHeaders();
    }
    return envelope.getFailure() == null ? List.of() : envelope.getFailure().getHeaders();
  }

  private static Envelope copy(Envelope envelope) {
    return copy(envelope, new Envelope());
  }

  /** Makes a shallow copy, because a builder would copy all texts. */
  private static <T extends SpecificRecordBase> T copy(T record, T copy) {
    for (Schema.Field field : record.getSchema().getFields()) {
      copy.put(field.pos(), record.get(field.pos()));
    }
    return copy;
  }

  /**
   * A draft of the record's translation, with everything that earlier stages added to it; without a
   * translation, it is made from the sentence. Its lists are shared with other records and must not
   * be changed.
   *
   * @param modelId the model's id if there is no translation
   */
  public static Translation draft(Envelope envelope, String modelId) {
    if (envelope.getTranslation() != null) {
      return copy(envelope.getTranslation(), new Translation());
    }
    Sentence sentence = envelope.getSentence();
    Translation draft = copy(NONE, new Translation());
    draft.setSource(sentence);
    draft.setTargetLanguage(sentence.getLanguage());
    draft.setText(sentence.getText());
    draft.setModelId(modelId);
    return draft;
  }
}
