package io.latimer.operators.index;

import io.latimer.operators.OperatorException;

/** An index file cannot be used; the subclasses say why. The message names the file. */
public class IndexFormatException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public IndexFormatException(String message) {
    super(message);
  }

  public IndexFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
