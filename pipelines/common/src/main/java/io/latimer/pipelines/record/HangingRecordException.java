package io.latimer.pipelines.record;

import io.latimer.operators.RecordException;

/** A stage did not finish a record in time, although it had it alone. */
public final class HangingRecordException extends RecordException {
  private static final long serialVersionUID = 1L;

  public HangingRecordException(String message) {
    super(message);
  }
}
