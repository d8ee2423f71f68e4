package io.latimer.operators.nmt.model;

import io.latimer.operators.OperatorException;

/** A model's files are unusable. The message names file and tensor, what was expected and found. */
public class ModelFormatException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public ModelFormatException(String message) {
    super(message);
  }

  public ModelFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
