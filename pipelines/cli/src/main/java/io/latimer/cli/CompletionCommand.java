package io.latimer.cli;

import io.latimer.cli.command.Candidates;
import io.latimer.cli.command.TerminalCommand;
import java.util.concurrent.Callable;
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
  enum Shell {
    BASH,
    ZSH
  }

  @Parameters(
      paramLabel = "SHELL",
      completionCandidates = Shells.class,
      description = "One of: bash, zsh.")
  private Shell shell;

  /** The values for shell completion. */
  static final class Shells extends Candidates {
    Shells() {
      super(Shell.class);
    }
  }

  @Override
  public Integer call() {
    String script = AutoComplete.bash("latimer", spec.root().commandLine());
    // zsh runs the same script through its bash emulation
    terminal.results(
        shell == Shell.ZSH ? "autoload -U +X bashcompinit && bashcompinit\n" + script : script);
    return 0;
  }
}
