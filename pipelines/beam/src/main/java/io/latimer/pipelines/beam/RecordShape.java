package io.latimer.pipelines.beam;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import java.io.Serializable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.beam.sdk.values.KV;

/**
 * How the elements of a collection hold records.
 *
 * @param <I> elements
 * @param <O> elements that the stage processed
 * @param <F> elements that it refused
 * @param record makes the record of an element
 * @param success makes the result of an element from its processed record
 * @param failure makes the result of an element from the reason why it was refused
 */
record RecordShape<I, O, F>(
    RecordOf<I> record, ResultOf<I, Envelope, O> success, ResultOf<I, DeadLetter, F> failure)
    implements Serializable {

  /** A function that can be sent to where it runs. */
  interface RecordOf<I> extends Function<I, Envelope>, Serializable {}

  /** A function that can be sent to where it runs. */
  interface ResultOf<I, R, O> extends BiFunction<I, R, O>, Serializable {}

  /** Records as they are. */
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
