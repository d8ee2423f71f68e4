package io.latimer.cli;

import io.latimer.cli.command.TerminalCommand;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a completion script for a shell. */
@Command(
    name = "completion",
    description = "Print a shell script that completes commands and options.",
    footer = {
      "",
      "In bash:  source <(latimer completion bash)",
      "In zsh:   source <(latimer completion zsh)",
    })
final class CompletionCommand extends TerminalCommand implements Callable<Integer> {
  /** The values of an enum, of which picocli lists the constants; users write them differently. */
  private static final Pattern CONSTANTS =
      Pattern.compile("(?<=_args=\\()\"[A-Z0-9_]+\"(?: \"[A-Z0-9_]+\")*(?=\\))");

  enum Shell {
    BASH,
    ZSH
  }

  @Parameters(paramLabel = "SHELL", description = "One of: bash, zsh.")
  private Shell shell;

  @Override
  public Integer call() {
    String script =
        CONSTANTS
            .matcher(AutoComplete.bash("latimer", spec.root().commandLine()))
            .replaceAll(names -> names.group().toLowerCase(Locale.ROOT).replace('_', '-'));
    // zsh runs the same script through its bash emulation
    terminal.results(
        shell == Shell.ZSH ? "autoload -U +X bashcompinit && bashcompinit\n" + script : script);
    return 0;
  }
}
