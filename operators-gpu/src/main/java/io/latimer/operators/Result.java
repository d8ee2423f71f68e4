package io.latimer.operators;

import java.util.Objects;

/**
 * The result of one record of a batch: a value, or the reason why there is none.
 *
 * @param <O> the type of the value
 */
public sealed interface Result<O> permits Result.Value, Result.Failure {

  /** The record was processed. */
  record Value<O>(O value) implements Result<O> {
    public Value {
      Objects.requireNonNull(value, "value");
    }
  }

  /**
   * The record was refused.
   *
   * @param error says what is wrong with which part of the record, and what to do
   */
  record Failure<O>(RecordException error) implements Result<O> {
    public Failure {
      Objects.requireNonNull(error, "error");
    }
  }

  static <O> Result<O> of(O value) {
    return new Value<>(value);
  }

  static <O> Result<O> failure(RecordException error) {
    return new Failure<>(error);
  }

  /** Returns the value, or throws the failure's error. */
  default O orElseThrow() {
    if (this instanceof Value<O> v) {
      return v.value();
    }
    throw ((Failure<O>) this).error();
  }
}
