package io.latimer.cli.command;

import java.util.List;
import picocli.CommandLine.Command;

/** A command that only groups others; running it without a subcommand is a usage error. */
@Command(synopsisSubcommandLabel = "COMMAND")
public abstract class CommandGroup extends TerminalCommand implements Runnable {
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
    throw usage("Missing subcommand: " + list + ".");
  }
}
