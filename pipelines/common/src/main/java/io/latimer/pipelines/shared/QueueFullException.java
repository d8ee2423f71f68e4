package io.latimer.pipelines.shared;

/** Thrown if a client has the maximum number of records in flight. */
public final class QueueFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  QueueFullException(int most) {
    super(
        most
            + " records are under way, the maximum of batch.max-pending; let fewer calls be under"
            + " way, or raise it");
  }
}
