package io.latimer.operators.index;

/** The file does not exist or is not an index file. */
public final class NotAnIndexException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public NotAnIndexException(String message) {
    super(message);
  }

  public NotAnIndexException(String message, Throwable cause) {
    super(message, cause);
  }
}
