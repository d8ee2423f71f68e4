package io.latimer.cli.terminal;

/** Thrown if results cannot be written to standard output; the command ends with an error. */
public class LostOutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LostOutputException(String message) {
    super(message);
  }
}
