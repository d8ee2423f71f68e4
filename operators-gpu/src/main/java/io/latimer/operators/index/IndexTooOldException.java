package io.latimer.operators.index;

/** The file's format is one that this version of Latimer no longer reads. */
public final class IndexTooOldException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public IndexTooOldException(String message) {
    super(message);
  }
}
