package io.latimer.pipelines.flink;

import java.io.IOException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * Lines of a print sink could not be written. The job is not started again: the stream stays as it
 * is for as long as its process lives, and the lines before would be written twice.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class LostLinesException extends IOException {
  private static final long serialVersionUID = 1L;

  LostLinesException(boolean error) {
    super(
        "the standard "
            + (error ? "error" : "output")
            + " cannot be written: it was closed, or the disk behind it is full");
  }
}
