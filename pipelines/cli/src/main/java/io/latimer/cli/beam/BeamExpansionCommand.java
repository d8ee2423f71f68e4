package io.latimer.cli.beam;

import io.latimer.cli.command.TerminalCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves the transforms to pipelines in other languages. */
@Command(
    name = "expansion-service",
    sortOptions = false,
    description = {
      "Serve Latimer's transforms to Beam YAML and to pipelines in Python and Go, on this machine"
          + " only, until Ctrl-C stops it; docs/beam.md has examples.",
    })
final class BeamExpansionCommand extends TerminalCommand implements Callable<Integer> {
  private static final String MAIN = "io.latimer.pipelines.beam.ExpansionProgram";

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "8097",
      description = "The port on 127.0.0.1; 0 for a free one (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--worker",
      description =
          "Also run transforms in this process, for runners on this machine without containers."
              + " Every user of this machine can then run code as you.")
  private boolean hasWorker;

  @Override
  public Integer call() throws IOException, InterruptedException {
    require(port >= 0 && port <= 65_535, "--port must be from 0 to 65535.");
    List<String> arguments = new ArrayList<>();
    arguments.add(Integer.toString(port));
    if (hasWorker) {
      arguments.add("--worker");
    }
    return BeamProcess.run(MAIN, arguments);
  }
}
