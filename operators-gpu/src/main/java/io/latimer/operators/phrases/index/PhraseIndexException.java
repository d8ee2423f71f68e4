package io.latimer.operators.phrases.index;

import io.latimer.operators.index.IndexFormatException;

/** The content of a phrase index is not sound. */
public final class PhraseIndexException extends IndexFormatException {
  private static final long serialVersionUID = 1L;

  public PhraseIndexException(String message) {
    super(message);
  }

  /** Makes the error for an index that was accepted but turns out to be corrupt. */
  public static PhraseIndexException corrupt(String what) {
    return new PhraseIndexException("the index is corrupt: " + what + "; build it again");
  }

  public PhraseIndexException(String message, Throwable cause) {
    super(message, cause);
  }
}
