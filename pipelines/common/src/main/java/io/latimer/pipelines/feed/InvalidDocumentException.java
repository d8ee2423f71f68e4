package io.latimer.pipelines.feed;

import java.io.IOException;

/** A server has sent a document that is no feed: as long as it sends the same, nothing helps. */
final class InvalidDocumentException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes one.
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
