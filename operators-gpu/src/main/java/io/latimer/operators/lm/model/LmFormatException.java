package io.latimer.operators.lm.model;

import io.latimer.operators.OperatorException;

/** A language model's file cannot be used. The message names the file, the place and what to do. */
public class LmFormatException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public LmFormatException(String message) {
    super(message);
  }

  public LmFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
