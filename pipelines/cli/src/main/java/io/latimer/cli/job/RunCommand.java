package io.latimer.cli.job;

import io.latimer.cli.command.Candidates;
import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.terminal.ClosedOutputException;
import io.latimer.cli.terminal.ProgressLine;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.cli.terminal.Terminal;
import io.latimer.pipelines.flink.LostLinesException;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SourceConfig;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a job file on a Flink cluster in this process. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Run a job on a Flink cluster in this process until its source ends or Ctrl-C stops it.",
    },
    footer = {
      "",
      "The same job file runs on your own Flink cluster: see docs/flink.md.",
    })
public final class RunCommand implements Callable<Integer> {
  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      required = true,
      description = "The job file, YAML; docs/job-config.md lists its keys.")
  private Path file;

  /** What is looked for without running the job. */
  enum Check {
    ONLINE,
    OFFLINE
  }

  @Option(
      names = "--check",
      arity = "0..1",
      fallbackValue = "online",
      paramLabel = "online|offline",
      completionCandidates = Checks.class,
      description = {
        "Print the job file with all its defaults, and run nothing. Opens the stages' indexes on"
            + " their devices and looks for brokers and topics; offline checks the file alone.",
      })
  private Check check;

  /** What a shell offers. */
  static final class Checks extends Candidates {
    Checks() {
      super(Check.class);
    }
  }

  private final Terminal terminal;

  RunCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    JobConfig config = JobConfigReader.read(file);
    if (check != null) {
      terminal.results(config.toYaml());
      List<String> problems = check == Check.ONLINE ? JobCheck.problems(config) : List.<String>of();
      problems.forEach(problem -> terminal.message("latimer: " + problem));
      return problems.isEmpty() ? 0 : ExitCodes.FAILED;
    }
    Configuration engine = Configuration.fromMap(config.engineSettings().resolve());
    try (StopSignal stop = new StopSignal();
        LocalCluster cluster = LocalCluster.start(engine, config.parallelism())) {
      StreamExecutionEnvironment environment =
          StreamExecutionEnvironment.createLocalEnvironment(config.parallelism(), engine);
      TranslationJob.build(environment, config);
      if (stop.isRaised()) {
        return stop.exitCode();
      }
      JobClient running = cluster.submit(environment);
      terminal.message(
          "latimer: job " + config.name() + " is running; its web page is " + cluster.address());
      return await(config, running, stop);
    }
  }

  private int await(JobConfig config, JobClient running, StopSignal stop) throws Exception {
    CompletableFuture<JobExecutionResult> result = running.getJobExecutionResult();
    while (!stop.isRaised()) {
      try {
        long millis = result.get(200, TimeUnit.MILLISECONDS).getNetRuntime();
        terminal.message("latimer: the job ended after " + ProgressLine.clock(millis / 1000) + ".");
        return 0;
      } catch (TimeoutException e) {
        // it runs on
      } catch (ExecutionException e) {
        if (Terminal.standardOutputIsPipe()
            && ExceptionUtils.findThrowable(e, LostLinesException.class).isPresent()) {
          throw new ClosedOutputException();
        }
        throw new CommandException("the job failed: " + reason(config, e), e);
      }
    }
    terminal.message("latimer: stopping ...");
    return stop.exitCode();
  }

  /** Messages of Kafka's clients lack the address. */
  private String reason(JobConfig config, Throwable error) {
    String message = LocalCluster.rootMessage(error);
    Set<String> servers = bootstrapServers(config);
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof KafkaException && !servers.isEmpty()) {
        return "Kafka at "
            + String.join(" or ", servers)
            + ": "
            + message
            + "; check that it runs, and bootstrap-servers in "
            + file;
      }
    }
    return message;
  }

  private static Set<String> bootstrapServers(JobConfig config) {
    Set<String> servers = new LinkedHashSet<>();
    if (config.source() instanceof SourceConfig.Kafka kafka) {
      servers.add(kafka.bootstrapServers());
    }
    Stream.concat(config.sinks().stream(), Stream.of(config.deadLetters()))
        .forEach(
            sink -> {
              if (sink instanceof SinkConfig.Kafka kafka) {
                servers.add(kafka.bootstrapServers());
              }
            });
    return servers;
  }
}
