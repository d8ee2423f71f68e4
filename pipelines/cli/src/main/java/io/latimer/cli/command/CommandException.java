package io.latimer.cli.command;

/** Thrown if a command fails. The message is for the user: what is wrong, where, and what to do. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CommandException(String message) {
    super(message);
  }

  public CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
