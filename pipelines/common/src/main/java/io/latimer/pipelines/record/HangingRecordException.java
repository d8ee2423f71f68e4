package io.latimer.pipelines.record;

import io.latimer.operators.RecordException;

/** Reports a record that a stage did not finish in time although it was processed alone. */
public final class HangingRecordException extends RecordException {
  private static final long serialVersionUID = 1L;

  public HangingRecordException(String message) {
    super(message);
  }
}
