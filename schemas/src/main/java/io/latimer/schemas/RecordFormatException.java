package io.latimer.schemas;

import java.io.IOException;

/** Bytes are not the record they should be. The message says what is wrong and at which byte. */
public final class RecordFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long position;

  RecordFormatException(String message, long position) {
    super(message);
    this.position = position;
  }

  RecordFormatException(String message, long position, Throwable cause) {
    super(message, cause);
    this.position = position;
  }

  /** Position of the first byte that is wrong, from 0, counted over the record's value. */
  public long position() {
    return position;
  }
}
