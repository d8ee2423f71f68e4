package io.latimer.pipelines.flink;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * A failure that a restart cannot fix, so the job ends at once. The message says what is wrong,
 * where, and what to do.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class UnrecoverableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnrecoverableException(String message) {
    super(message);
  }

  UnrecoverableException(String message, Throwable cause) {
    super(message, cause);
  }
}
