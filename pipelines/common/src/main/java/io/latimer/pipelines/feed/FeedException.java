package io.latimer.pipelines.feed;

import java.io.IOException;

/** Thrown if a feed cannot be read and retrying does not help; the message is for the user. */
public final class FeedException extends IOException {
  private static final long serialVersionUID = 1L;

  FeedException(String message) {
    super(message);
  }

  FeedException(String message, Throwable cause) {
    super(message, cause);
  }
}
