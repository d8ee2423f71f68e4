package io.latimer.pipelines.stages;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The texts of a batch for an operator: those of records without a failure. */
final class BatchTexts {
  private final List<Envelope> batch;
  private final List<String> texts;

  private BatchTexts(List<Envelope> batch, List<String> texts) {
    this.batch = batch;
    this.texts = texts;
  }

  /** Takes the texts of a batch. */
  static BatchTexts of(List<Envelope> batch, Function<Envelope, String> text) {
    List<String> texts = new ArrayList<>(batch.size());
    for (Envelope envelope : batch) {
      if (envelope.getFailure() == null) {
        texts.add(text.apply(envelope));
      }
    }
    return new BatchTexts(batch, texts);
  }

  List<String> texts() {
    return texts;
  }

  /**
   * The whole batch with the operator's results.
   *
   * @param stage name of the stage, for records that the operator refuses
   * @param results one per text
   * @param with combines the original record with a value
   */
  <T> List<Envelope> merge(
      String stage, List<Result<T>> results, BiFunction<Envelope, T, Envelope> with) {
    List<Envelope> done = new ArrayList<>(batch.size());
    int next = 0;
    for (Envelope envelope : batch) {
      if (envelope.getFailure() != null) {
        done.add(envelope);
        continue;
      }
      Result<T> result = results.get(next++);
      if (result instanceof Result.Value<T> value) {
        done.add(with.apply(envelope, value.value()));
      } else {
        RecordException error = ((Result.Failure<T>) result).error();
        done.add(DeadLetters.refuse(envelope, stage, error));
      }
    }
    return done;
  }
}
