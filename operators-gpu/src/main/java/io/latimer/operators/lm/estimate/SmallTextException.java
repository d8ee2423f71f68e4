package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;

/** A text is too small, or not natural enough, to compute the discounts of a model from. */
public final class SmallTextException extends OperatorException {
  private static final long serialVersionUID = 1L;

  SmallTextException(String message) {
    super(message);
  }

  SmallTextException(String message, Throwable cause) {
    super(message, cause);
  }
}
