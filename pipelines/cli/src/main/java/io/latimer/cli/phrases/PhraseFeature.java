package io.latimer.cli.phrases;

import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.SourcePhrase;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/**
 * A numeric feature of a phrase pair.
 *
 * @param ofSource whether it is the same for all pairs of a source phrase
 * @param value exact if it is a count
 */
record PhraseFeature(boolean ofSource, ToDoubleBiFunction<SourcePhrase, PhrasePair> value) {

  static PhraseFeature ofSource(ToDoubleFunction<SourcePhrase> value) {
    return new PhraseFeature(true, (phrase, pair) -> value.applyAsDouble(phrase));
  }

  static PhraseFeature ofPair(ToDoubleFunction<PhrasePair> value) {
    return new PhraseFeature(false, (phrase, pair) -> value.applyAsDouble(pair));
  }

  /** Formats the value for output. */
  String print(SourcePhrase phrase, PhrasePair pair) {
    return SignificantDigits.of(value.applyAsDouble(phrase, pair));
  }
}
