package io.latimer.cli.terminal;

/** The reader of standard output has gone away: the command ends silently. */
public final class ClosedOutputException extends LostOutputException {
  private static final long serialVersionUID = 1L;

  public ClosedOutputException() {
    super("standard output was closed");
  }
}
