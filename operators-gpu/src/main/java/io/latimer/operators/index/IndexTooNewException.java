package io.latimer.operators.index;

/** A newer version of Latimer wrote the file. */
public final class IndexTooNewException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public IndexTooNewException(String message) {
    super(message);
  }
}
