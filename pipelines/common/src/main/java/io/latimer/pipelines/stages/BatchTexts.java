package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.pipelines.stage.BatchKey;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordKey;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The texts of a batch for an operator, one for each record that has one. Stages of a group that
 * read the same text share the object with its words, so it is split only once.
 */
record BatchTexts(List<Result<SentenceWords>> given, List<SentenceWords> words) {
  /** The words of the sentences. */
  private static final BatchKey<List<SentenceWords>> SOURCES =
      new BatchKey<>("words of the sentences", SentenceWords::of);

  /** The words of a translation. */
  private static final RecordKey<SentenceWords> TRANSLATION =
      new RecordKey<>("words of the translation", SentenceWords.class, RecordPart.TRANSLATION);

  /**
   * Takes the texts of a batch.
   *
   * @param text gives the text of a record by number, or why it has none
   */
  static BatchTexts of(StageBatch batch, IntFunction<Result<SentenceWords>> text) {
    List<Result<SentenceWords>> given = new ArrayList<>(batch.size());
    List<SentenceWords> words = new ArrayList<>(batch.size());
    for (int record = 0; record < batch.size(); record++) {
      Result<SentenceWords> one = text.apply(record);
      given.add(one);
      if (one instanceof Result.Value<SentenceWords> value) {
        words.add(value.value());
      }
    }
    return new BatchTexts(given, words);
  }

  /** The words of a sentence. */
  static SentenceWords ofSource(StageBatch batch, int record) {
    return batch.shared(SOURCES).get(batch.place(record));
  }

  /** The words of the translation, which must exist. */
  static SentenceWords ofTranslation(StageBatch batch, int record) {
    String text = batch.translation(record).getText();
    return batch
        .handedOn(TRANSLATION, record)
        .filter(words -> words.text().equals(text)) // passed on by the last stage that wrote it
        .orElseGet(() -> new SentenceWords(text));
  }

  /** Passes a translation to stages that read its words. */
  static void handOn(StageBatch batch, int record, String translation) {
    batch.handOn(TRANSLATION, record, new SentenceWords(translation));
  }

  /**
   * The results of the whole batch.
   *
   * @param results one per text
   * @param change converts a value to the change of its record
   */
  <T> List<Result<RecordChange>> changes(
      List<Result<T>> results, Function<T, RecordChange> change) {
    List<Result<RecordChange>> all = new ArrayList<>(given.size());
    int next = 0;
    for (Result<SentenceWords> text : given) {
      if (text instanceof Result.Failure<SentenceWords> none) {
        all.add(Result.failure(none.error()));
      } else if (results.get(next++) instanceof Result.Failure<T> refused) {
        all.add(Result.failure(refused.error()));
      } else {
        all.add(Result.of(change.apply(results.get(next - 1).orElseThrow())));
      }
    }
    return all;
  }
}
