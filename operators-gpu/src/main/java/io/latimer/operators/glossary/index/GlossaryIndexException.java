package io.latimer.operators.glossary.index;

import io.latimer.operators.index.IndexFormatException;

/** The content of a glossary's index is not sound. */
public final class GlossaryIndexException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public GlossaryIndexException(String message) {
    super(message);
  }

  public GlossaryIndexException(String message, Throwable cause) {
    super(message, cause);
  }
}
