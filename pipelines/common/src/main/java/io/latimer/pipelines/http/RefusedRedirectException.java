package io.latimer.pipelines.http;

import java.io.IOException;

/**
 * A redirect that is not followed. The message says why, and what to do, as what follows the
 * address that redirects; it has no query, which may be a secret.
 */
public final class RefusedRedirectException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedRedirectException(String message) {
    super(message);
  }
}
