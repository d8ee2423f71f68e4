package io.latimer.schemas;

import java.io.IOException;

/** Bytes are not a valid record. The message says what is wrong and at which byte. */
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

  static RecordFormatException at(String what, long position) {
    return new RecordFormatException(what + " (at byte " + position + ")", position);
  }

  /** Offset of the first invalid byte, from 0, in the record's value. */
  public long position() {
    return position;
  }
}
