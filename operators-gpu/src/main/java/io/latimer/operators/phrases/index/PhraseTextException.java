package io.latimer.operators.phrases.index;

import io.latimer.operators.OperatorException;

/** A parallel text or its alignment cannot be used; the message names file and line. */
public final class PhraseTextException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public PhraseTextException(String message) {
    super(message);
  }

  public PhraseTextException(String message, Throwable cause) {
    super(message, cause);
  }
}
