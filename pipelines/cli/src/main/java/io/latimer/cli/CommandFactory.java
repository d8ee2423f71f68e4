package io.latimer.cli;

import io.latimer.cli.terminal.Terminal;
import java.lang.reflect.Constructor;
import picocli.CommandLine;

/** Creates the commands and passes the terminal to those that need it. */
final class CommandFactory implements CommandLine.IFactory {
  private final CommandLine.IFactory others = CommandLine.defaultFactory();
  private final Terminal terminal;

  CommandFactory(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      Class<?>[] parameters = constructor.getParameterTypes();
      if (parameters.length == 1 && parameters[0] == Terminal.class) {
        constructor.setAccessible(true);
        return type.cast(constructor.newInstance(terminal));
      }
    }
    return others.create(type);
  }
}
