package io.latimer.operators.grammar.index;

import io.latimer.operators.index.IndexFormatException;

/** The content of a grammar's index is not sound. */
public final class GrammarIndexException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public GrammarIndexException(String message) {
    super(message);
  }

  public GrammarIndexException(String message, Throwable cause) {
    super(message, cause);
  }
}
