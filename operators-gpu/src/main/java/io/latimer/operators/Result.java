package io.latimer.operators;

import java.util.Objects;
import java.util.function.Supplier;

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

  /**
   * Computes the result of one record, whose errors must not fail the others.
   *
   * @param what is said of an internal error that the record triggers, such as {@code "the text
   *     cannot be prepared"}
   * @throws OperatorException if {@code make} throws one: the operator cannot go on
   */
  static <O> Result<O> attempt(String what, Supplier<O> make) {
    try {
      return of(make.get());
    } catch (RecordException e) {
      return failure(e);
    } catch (OperatorException e) {
      throw e;
    } catch (RuntimeException e) {
      return failure(new RecordException(what + ": " + e, e));
    }
  }

  /** Returns the value, or throws the failure's error. */
  default O orElseThrow() {
    if (this instanceof Value<O> v) {
      return v.value();
    }
    throw ((Failure<O>) this).error();
  }
}
