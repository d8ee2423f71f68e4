package io.latimer.operators;

/** An operator cannot be made or can no longer work, for a reason that does not lie in a record. */
public class OperatorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OperatorException(String message) {
    super(message);
  }

  public OperatorException(String message, Throwable cause) {
    super(message, cause);
  }
}
