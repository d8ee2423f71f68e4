package io.latimer.pipelines.stages;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.schemas.Envelope;
import java.util.List;
import java.util.Locale;

/** Which text of a record a stage reads. */
enum TextChoice {
  SOURCE,
  TRANSLATION;

  /**
   * The key {@code of}.
   *
   * @param doc what the stage does with the text
   */
  static ConfigKey<TextChoice> key(String doc) {
    return ConfigKey.of("of", ConfigTypes.word(TextChoice.class), SOURCE, doc);
  }

  /** Its name in records. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The texts of a batch. Records without a translation are refused if that is the text.
   *
   * @param stage name of the stage
   */
  BatchTexts texts(List<Envelope> batch, String stage) {
    if (this == SOURCE) {
      return BatchTexts.of(batch, envelope -> envelope.getSentence().getText());
    }
    return BatchTexts.of(
        batch.stream().map(envelope -> translated(envelope, stage)).toList(),
        envelope -> envelope.getTranslation().getText());
  }

  private static Envelope translated(Envelope envelope, String stage) {
    if (envelope.getFailure() != null || envelope.getTranslation() != null) {
      return envelope;
    }
    return DeadLetters.refuse(
        envelope,
        stage,
        new RecordException(
            "stage "
                + stage
                + " reads translations, but the record has none; put a translate stage before it,"
                + " or set `of: source`"));
  }
}
