package io.latimer.operators.lm.model;

import io.latimer.operators.OperatorException;

/** A language model file is unusable. The message names the file, the position and the remedy. */
public class LmFormatException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public LmFormatException(String message) {
    super(message);
  }

  public LmFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
