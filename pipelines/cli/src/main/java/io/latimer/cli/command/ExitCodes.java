package io.latimer.cli.command;

import picocli.CommandLine;

/** What the process ends with, besides 0; a signal's number is added to 128, as shells count it. */
public final class ExitCodes {
  /** The command could not do all that it was asked for. */
  public static final int FAILED = CommandLine.ExitCode.SOFTWARE;

  /** The reader of the standard output is gone: what SIGPIPE gives. */
  public static final int CLOSED_OUTPUT = 141;

  private ExitCodes() {}
}
