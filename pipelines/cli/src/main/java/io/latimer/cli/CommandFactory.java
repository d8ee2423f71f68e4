package io.latimer.cli;

import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.terminal.Terminal;
import picocli.CommandLine;

/** Creates the commands and gives them the terminal. */
final class CommandFactory implements CommandLine.IFactory {
  private final CommandLine.IFactory others = CommandLine.defaultFactory();
  private final Terminal terminal;

  CommandFactory(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    K created = others.create(type);
    if (created instanceof TerminalCommand command) {
      command.setTerminal(terminal);
    }
    return created;
  }
}
