package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.StageBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/** The texts of a batch for an operator, one for each record that has one. */
final class BatchTexts {
  private final List<Result<String>> given;
  private final List<String> texts;

  private BatchTexts(List<Result<String>> given, List<String> texts) {
    this.given = given;
    this.texts = texts;
  }

  /**
   * Takes the texts of a batch.
   *
   * @param text the text of a record, by its number, or why it has none
   */
  static BatchTexts of(StageBatch batch, IntFunction<Result<String>> text) {
    List<Result<String>> given = new ArrayList<>(batch.size());
    List<String> texts = new ArrayList<>(batch.size());
    for (int record = 0; record < batch.size(); record++) {
      Result<String> one = text.apply(record);
      given.add(one);
      if (one instanceof Result.Value<String> value) {
        texts.add(value.value());
      }
    }
    return new BatchTexts(given, texts);
  }

  List<String> texts() {
    return texts;
  }

  /**
   * The results of the whole batch.
   *
   * @param results one per text
   * @param change what a value changes in its record
   */
  <T> List<Result<RecordChange>> changes(
      List<Result<T>> results, Function<T, RecordChange> change) {
    List<Result<RecordChange>> all = new ArrayList<>(given.size());
    int next = 0;
    for (Result<String> text : given) {
      if (text instanceof Result.Failure<String> none) {
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
