package io.latimer.pipelines.flink.sink;

import java.io.IOException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * Thrown if lines of a print sink could not be written. The job is not restarted: the stream stays
 * broken as long as the process lives, and earlier lines would be written twice.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class LostLinesException extends IOException {
  private static final long serialVersionUID = 1L;

  LostLinesException(boolean error) {
    super(
        "the standard "
            + (error ? "error" : "output")
            + " cannot be written: it is closed, or its disk is full");
  }
}
