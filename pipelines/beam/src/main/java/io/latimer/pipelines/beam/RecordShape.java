package io.latimer.pipelines.beam;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import java.io.Serializable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.beam.sdk.values.KV;

/**
 * Converts between the elements of a collection and records.
 *
 * @param <I> elements
 * @param <O> type of processed elements
 * @param <F> type of refused elements
 * @param record converts an element to a record
 * @param success creates the result of an element from its processed record
 * @param failure creates the result of an element from the reason for its refusal
 */
public record RecordShape<I, O, F>(
    RecordOf<I> record, ResultOf<I, Envelope, O> success, ResultOf<I, DeadLetter, F> failure)
    implements Serializable {

  /** A serializable function. */
  public interface RecordOf<I> extends Function<I, Envelope>, Serializable {}

  /** A serializable function. */
  public interface ResultOf<I, R, O> extends BiFunction<I, R, O>, Serializable {}

  /** Plain records. */
  static final RecordShape<Envelope, Envelope, DeadLetter> ENVELOPES =
      new RecordShape<>(
          element -> element, (element, result) -> result, (element, letter) -> letter);

  /** Records with keys. */
  static <K> RecordShape<KV<K, Envelope>, KV<K, Envelope>, KV<K, DeadLetter>> keyed() {
    return new RecordShape<>(
        KV::getValue,
        (element, result) -> KV.of(element.getKey(), result),
        (element, letter) -> KV.of(element.getKey(), letter));
  }
}
