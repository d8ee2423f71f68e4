package io.latimer.operators.index;

/** The file is something else, or there is no file. */
public final class NotAnIndexException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public NotAnIndexException(String message) {
    super(message);
  }

  public NotAnIndexException(String message, Throwable cause) {
    super(message, cause);
  }
}
