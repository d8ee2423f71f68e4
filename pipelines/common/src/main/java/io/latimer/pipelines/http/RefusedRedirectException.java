package io.latimer.pipelines.http;

import java.io.IOException;

/**
 * Thrown for a redirect that is not followed. The message says why and what to do, and continues a
 * sentence that starts with the redirecting URI. It omits queries, which may be secret.
 */
public final class RefusedRedirectException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedRedirectException(String message) {
    super(message);
  }
}
