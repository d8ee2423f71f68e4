package io.latimer.pipelines.stages;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.schemas.Translation;
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
            ? record -> Result.of(batch.source(record).getText())
            : record -> translated(batch.translation(record), stage));
  }

  private static Result<String> translated(Translation translation, String stage) {
    if (translation != null) {
      return Result.of(translation.getText());
    }
    return Result.failure(
        new RecordException(
            "stage "
                + stage
                + " reads translations, but the record has none; put a translate stage before it,"
                + " or set `of: source`"));
  }
}
