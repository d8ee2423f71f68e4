package io.latimer.cli.terminal;

/** Thrown if the reader of standard output is gone; the command ends without a message. */
public final class ClosedOutputException extends LostOutputException {
  private static final long serialVersionUID = 1L;

  public ClosedOutputException() {
    super("standard output was closed");
  }
}
