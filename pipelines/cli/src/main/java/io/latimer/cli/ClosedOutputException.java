package io.latimer.cli;

/**
 * Whoever read the standard output has gone away: the command ends, and there is nothing to say.
 */
final class ClosedOutputException extends LostOutputException {
  private static final long serialVersionUID = 1L;

  ClosedOutputException() {
    super("the standard output was closed");
  }
}
