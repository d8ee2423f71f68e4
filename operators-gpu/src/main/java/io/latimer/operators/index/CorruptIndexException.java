package io.latimer.operators.index;

/** The file's bytes differ from what was written; the message says where. */
public final class CorruptIndexException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public CorruptIndexException(String message) {
    super(message);
  }
}
