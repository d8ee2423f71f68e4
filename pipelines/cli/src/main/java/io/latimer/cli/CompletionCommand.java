package io.latimer.cli;

import io.latimer.cli.command.Candidates;
import io.latimer.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a completion script for a shell. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = "Print a shell script that completes commands and options.",
    footer = {
      "",
      "In bash:  source <(latimer completion bash)",
      "In zsh:   source <(latimer completion zsh)",
    })
final class CompletionCommand implements Callable<Integer> {
  enum Shell {
    BASH,
    ZSH
  }

  @Spec private CommandSpec spec;

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

  private final Terminal terminal;

  CompletionCommand(Terminal terminal) {
    this.terminal = terminal;
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
