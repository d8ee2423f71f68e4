package io.latimer.cli;

/** Results cannot be written to the standard output: the command ends, and says why. */
class LostOutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LostOutputException(String message) {
    super(message);
  }
}
