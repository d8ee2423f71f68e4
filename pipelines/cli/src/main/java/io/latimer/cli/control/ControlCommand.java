package io.latimer.cli.control;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.CommandGroup;
import io.latimer.cli.command.DurationConverter;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.ControlStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Sends commands to a running job. */
@Command(
    name = "control",
    description = "Send a command to a running job, and wait until it is carried out.")
public final class ControlCommand extends CommandGroup {
  @Option(
      names = {"-c", "--config", "--job-file"},
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "The job file of the running job, with control.topic and a Kafka topic in"
              + " control.status.")
  private Path file;

  @Spec private CommandSpec spec;

  private final Terminal terminal;

  ControlCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Command(
      name = "swap",
      mixinStandardHelpOptions = true,
      description = {
        "Replace the index of a stage. The new one is loaded beside the old one in every subtask;"
            + " once all have it, later batches use it. If one cannot load it, all keep the old"
            + " one. To go back, swap to the old file.",
      },
      footer = {
        "",
        "The statuses of an exactly-once sink can be read after the job's next checkpoint.",
      })
  int swap(
      @Parameters(
              paramLabel = "STAGE=FILE",
              description =
                  "Name of the stage, and its new index file. All machines of the job must have the"
                      + " file at this path, and must keep the old one: batches may need it again"
                      + " after a failure.")
          String swap,
      @Option(
              names = "--timeout",
              paramLabel = "TIME",
              defaultValue = "60s",
              converter = DurationConverter.class,
              description =
                  "How long to wait for the job's answer, such as 30s or 2m (default:"
                      + " ${DEFAULT-VALUE}).")
          Duration timeout)
      throws IOException, InterruptedException, ExecutionException {
    int sign = swap.indexOf('=');
    if (sign < 1 || sign == swap.length() - 1) {
      throw wrongUsage("expected STAGE=FILE, such as translate=models/en-de.lmx, found " + swap);
    }
    if (file == null) {
      throw wrongUsage("Missing required option: '--config=FILE'");
    }
    String stage = swap.substring(0, sign);
    JobConfig config = JobConfigReader.read(file);
    IndexRef index = IndexRefs.of(Path.of(swap.substring(sign + 1)));
    try (CommandSender sender = new CommandSender(config)) {
      ControlStatus end = sender.swap(stage, index, timeout);
      if (!end.getState().equals("in-use")) {
        throw new CommandException(
            "job " + config.name() + " refused it and keeps the old index: " + end.getMessage());
      }
    }
    terminal.result(
        "job "
            + config.name()
            + ": stage "
            + stage
            + " uses "
            + index.uri()
            + " "
            + index.sha256());
    return 0;
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.subcommands().get("swap"), message);
  }
}
