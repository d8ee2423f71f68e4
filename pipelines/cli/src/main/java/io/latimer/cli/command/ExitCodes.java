package io.latimer.cli.command;

import picocli.CommandLine;

/** Exit codes besides 0; after a signal, 128 plus its number, as in shells. */
public final class ExitCodes {
  /** The command failed, at least partly. */
  public static final int FAILED = CommandLine.ExitCode.SOFTWARE;

  /** The reader of standard output is gone; the code of SIGPIPE. */
  public static final int CLOSED_OUTPUT = 141;

  private ExitCodes() {}
}
