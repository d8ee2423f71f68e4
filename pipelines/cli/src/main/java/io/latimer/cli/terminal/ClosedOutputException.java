package io.latimer.cli.terminal;

/**
 * Whoever read the standard output has gone away: the command ends, and there is nothing to say.
 */
public final class ClosedOutputException extends LostOutputException {
  private static final long serialVersionUID = 1L;

  public ClosedOutputException() {
    super("the standard output was closed");
  }
}
