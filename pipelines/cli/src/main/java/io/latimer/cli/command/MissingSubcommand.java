package io.latimer.cli.command;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The error of a command that only groups others, named alone. */
public final class MissingSubcommand {
  private MissingSubcommand() {}

  /** Names the subcommands: {@code Missing subcommand: inspect or verify.} */
  public static ParameterException of(CommandSpec command) {
    List<String> names =
        command.subcommands().keySet().stream().filter(name -> !name.equals("help")).toList();
    int last = names.size() - 1;
    String list =
        last == 0
            ? names.get(0)
            : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    return new ParameterException(command.commandLine(), "Missing subcommand: " + list + ".");
  }
}
