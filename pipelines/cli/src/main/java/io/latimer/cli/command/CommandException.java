package io.latimer.cli.command;

/** A command cannot go on; the message is what its user reads: what is wrong, where, what to do. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CommandException(String message) {
    super(message);
  }

  public CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
