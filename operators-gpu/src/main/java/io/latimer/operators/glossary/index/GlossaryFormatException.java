package io.latimer.operators.glossary.index;

import io.latimer.operators.OperatorException;

/** A glossary cannot be used; the message names the file, the line and what to do. */
public final class GlossaryFormatException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public GlossaryFormatException(String message) {
    super(message);
  }

  public GlossaryFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
