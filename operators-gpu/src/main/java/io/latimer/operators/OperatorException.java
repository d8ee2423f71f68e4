package io.latimer.operators;

/**
 * An operator cannot be opened or can no longer work, for a reason other than a record's content.
 */
public class OperatorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OperatorException(String message) {
    super(message);
  }

  public OperatorException(String message, Throwable cause) {
    super(message, cause);
  }
}
