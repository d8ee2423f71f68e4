package io.latimer.operators.index;

/** The file's end is missing. */
public final class TruncatedIndexException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public TruncatedIndexException(String message) {
    super(message);
  }
}
