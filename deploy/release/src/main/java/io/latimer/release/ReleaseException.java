package io.latimer.release;

import java.util.List;

/** The release cannot be made as it is; the message has one line for each reason. */
final class ReleaseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ReleaseException(String message) {
    super(message);
  }

  ReleaseException(String what, List<String> problems) {
    super(what + ":\n  " + String.join("\n  ", problems));
  }

  /** Throws if there is a problem. */
  static void throwIfAny(String what, List<String> problems) {
    if (!problems.isEmpty()) {
      throw new ReleaseException(what, problems);
    }
  }
}
