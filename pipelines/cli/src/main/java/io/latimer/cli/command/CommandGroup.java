package io.latimer.cli.command;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups others; running it without a subcommand is a usage error. */
@Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
public abstract class CommandGroup implements Runnable {
  @Spec private CommandSpec spec;

  /** Names the subcommands: {@code Missing subcommand: inspect or verify.} */
  @Override
  public final void run() {
    List<String> names =
        spec.subcommands().keySet().stream().filter(name -> !name.equals("help")).toList();
    int last = names.size() - 1;
    String list =
        last == 0
            ? names.get(0)
            : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    throw new ParameterException(spec.commandLine(), "Missing subcommand: " + list + ".");
  }
}
