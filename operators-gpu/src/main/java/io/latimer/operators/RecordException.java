package io.latimer.operators;

/** One record cannot be processed because of its content. The message is one sentence. */
public class RecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RecordException(String message) {
    super(message);
  }

  public RecordException(String message, Throwable cause) {
    super(message, cause);
  }
}
