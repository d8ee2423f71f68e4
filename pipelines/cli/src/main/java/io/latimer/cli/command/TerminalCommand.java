package io.latimer.cli.command;

import io.latimer.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands have: help, the terminal, and usage errors. */
@Command(mixinStandardHelpOptions = true)
public abstract class TerminalCommand {
  @Spec protected CommandSpec spec;

  /** Where results and messages go; known as soon as the command is created. */
  protected Terminal terminal;

  /** Gives the command its terminal, before it is called. */
  public final void setTerminal(Terminal terminal) {
    this.terminal = terminal;
  }

  /** A usage error. */
  protected final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** A usage error with its cause. */
  protected final ParameterException usage(String message, Throwable cause) {
    return new ParameterException(spec.commandLine(), message, cause);
  }

  /** Fails with a usage error unless the options are sound. */
  protected final void require(boolean sound, String message) {
    if (!sound) {
      throw usage(message);
    }
  }
}
