package io.latimer.pipelines.feed;

import java.io.IOException;

/**
 * Thrown if a server has sent a document that is not a feed; retrying helps only once it changes.
 */
final class InvalidDocumentException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception.
   *
   * @param message what the document is, as the rest of a sentence
   */
  InvalidDocumentException(String message) {
    super(message);
  }

  InvalidDocumentException(String message, Throwable cause) {
    super(message, cause);
  }
}
