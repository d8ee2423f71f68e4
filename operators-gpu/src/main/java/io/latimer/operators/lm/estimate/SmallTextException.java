package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;

/** The text is too small, or too unlike natural language, to compute a model's discounts. */
public final class SmallTextException extends OperatorException {
  private static final long serialVersionUID = 1L;

  SmallTextException(String message) {
    super(message);
  }

  SmallTextException(String message, Throwable cause) {
    super(message, cause);
  }
}
