package io.latimer.cli;

/** A command cannot go on; the message is what its user reads: what is wrong, where, what to do. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommandException(String message) {
    super(message);
  }

  CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
