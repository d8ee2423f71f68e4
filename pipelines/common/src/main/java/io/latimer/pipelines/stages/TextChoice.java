package io.latimer.pipelines.stages;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
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

  /** The part of a record that it belongs to. */
  RecordPart part() {
    return this == SOURCE ? RecordPart.SOURCE : RecordPart.TRANSLATION;
  }

  /**
   * The texts of a batch. Records without a translation are refused if that is the text.
   *
   * @param stage name of the stage
   */
  BatchTexts texts(StageBatch batch, String stage) {
    return BatchTexts.of(
        batch,
        this == SOURCE
            ? record -> Result.of(BatchTexts.ofSource(batch, record))
            : record -> translated(batch, record, stage));
  }

  private static Result<SentenceWords> translated(StageBatch batch, int record, String stage) {
    if (batch.translation(record) != null) {
      return Result.of(BatchTexts.ofTranslation(batch, record));
    }
    return Result.failure(
        new RecordException(
            "stage "
                + stage
                + " reads translations, but the record has none; put a translate stage before it,"
                + " or set `of: source`"));
  }
}
