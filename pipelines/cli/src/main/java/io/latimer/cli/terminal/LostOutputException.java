package io.latimer.cli.terminal;

/** Results cannot be written to the standard output: the command ends, and says why. */
public class LostOutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LostOutputException(String message) {
    super(message);
  }
}
