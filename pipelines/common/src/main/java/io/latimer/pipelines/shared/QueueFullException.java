package io.latimer.pipelines.shared;

/** A client has as many records under way as it may have. */
public final class QueueFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  QueueFullException(int most) {
    super(
        most
            + " records are under way, the maximum of batch.max-pending; let fewer calls be under"
            + " way, or raise it");
  }
}
