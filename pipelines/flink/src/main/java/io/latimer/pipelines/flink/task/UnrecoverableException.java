package io.latimer.pipelines.flink.task;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * A failure that a restart cannot fix, so the job ends at once. The message says what is wrong,
 * where, and what to do.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class UnrecoverableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the error. */
  public UnrecoverableException(String message) {
    super(message);
  }

  /** Creates the error with its cause. */
  public UnrecoverableException(String message, Throwable cause) {
    super(message, cause);
  }
}
