package io.latimer.operators.index;

/** The file's format is no longer supported by this version of Latimer. */
public final class IndexTooOldException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public IndexTooOldException(String message) {
    super(message);
  }
}
