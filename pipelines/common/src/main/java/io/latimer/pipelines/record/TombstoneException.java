package io.latimer.pipelines.record;

import io.latimer.operators.RecordException;

/**
 * Marks a tombstone, a record with a key and no value, that is to be forwarded to the sinks. In an
 * envelope it is a failure like any other, so stages skip the record, and it becomes a dead letter
 * if the sinks take no tombstones.
 */
public final class TombstoneException extends RecordException {
  private static final long serialVersionUID = 1L;

  public TombstoneException(String message) {
    super(message);
  }
}
