package io.latimer.pipelines.record;

import io.latimer.operators.RecordException;

/**
 * A record has a key and no value, and is to reach the sinks as it is. In an envelope it is a
 * failure like any other, so that the stages skip the record, and so that it is a dead letter where
 * the sinks take no tombstones.
 */
public final class TombstoneException extends RecordException {
  private static final long serialVersionUID = 1L;

  public TombstoneException(String message) {
    super(message);
  }
}
