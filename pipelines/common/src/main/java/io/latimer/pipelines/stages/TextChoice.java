package io.latimer.pipelines.stages;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import java.util.List;
import java.util.Locale;

/** Which text of a record a stage reads. */
enum TextChoice {
  SOURCE,
  TRANSLATION,
  /** Every text of the n-best list. */
  ALTERNATIVES;

  /**
   * The key {@code of}.
   *
   * @param doc what the stage does with the text
   */
  static ConfigKey<TextChoice> key(String doc) {
    return key(List.of(SOURCE, TRANSLATION), doc);
  }

  /** The key {@code of} of a stage that also reads alternatives. */
  static ConfigKey<TextChoice> keyWithAlternatives(String doc) {
    return key(List.of(values()), doc);
  }

  private static ConfigKey<TextChoice> key(List<TextChoice> choices, String doc) {
    return ConfigKey.of("of", ConfigTypes.word(TextChoice.class, choices), SOURCE, doc);
  }

  /** Its name in records. */
  String label() {
    return this == ALTERNATIVES ? "alternative" : name().toLowerCase(Locale.ROOT);
  }

  /** The part of a record that it belongs to. */
  RecordPart part() {
    return switch (this) {
      case SOURCE -> RecordPart.SOURCE;
      case TRANSLATION -> RecordPart.TRANSLATION;
      case ALTERNATIVES -> RecordPart.ALTERNATIVES;
    };
  }

  /**
   * The texts of a batch; for alternatives, use {@link AlternativeTexts}. If the text is the
   * translation, records without one are refused.
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
