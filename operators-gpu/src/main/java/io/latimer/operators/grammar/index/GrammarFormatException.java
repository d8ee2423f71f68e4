package io.latimer.operators.grammar.index;

import io.latimer.operators.OperatorException;

/** A grammar cannot be used; the message names the file, the line and the symbol. */
public final class GrammarFormatException extends OperatorException {
  private static final long serialVersionUID = 1L;

  public GrammarFormatException(String message) {
    super(message);
  }

  public GrammarFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
