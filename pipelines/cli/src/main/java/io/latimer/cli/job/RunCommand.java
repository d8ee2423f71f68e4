package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.DurationConverter;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.flinkui.FlinkUiOption;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.cli.web.LivePage;
import io.latimer.cli.web.WebOptions;
import io.latimer.cli.web.WebSettings;
import io.latimer.pipelines.flink.ClusterSettings;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.source.SourceConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a job file on a Flink cluster in this process. */
@Command(
    name = "run",
    sortOptions = false,
    description = {
      "Run a job on a Flink cluster in this process until its source ends or Ctrl-C stops it."
          + " With checkpoints.directory in the job file, it resumes where the last run was"
          + " stopped or killed.",
    },
    footer = {
      "",
      "The same job file runs on your own Flink cluster: see docs/flink.md.",
    })
public final class RunCommand extends TerminalCommand implements Callable<Integer> {
  private static final int STOP_POLL_MILLIS = 200;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      required = true,
      description = "The job file, YAML; docs/job-config.md lists its keys.")
  private Path file;

  /** The extent of a check without running the job. */
  enum Check {
    ONLINE,
    OFFLINE
  }

  @Option(
      names = "--check",
      arity = "0..1",
      fallbackValue = "online",
      paramLabel = "online|offline",
      description = {
        "Print the job file with all its defaults and without its secrets, and run nothing. Opens"
            + " the stages' indexes on their devices and looks for brokers and topics; offline"
            + " checks the file alone.",
      })
  private Check check;

  @Option(
      names = "--fresh",
      description =
          "Begin without a state, as the source's start says, instead of resuming from the newest"
              + " checkpoint in the job file's checkpoints.directory.")
  private boolean fresh;

  @Option(
      names = "--restore",
      paramLabel = "PATH",
      description =
          "Start from this checkpoint or savepoint instead of the newest; it stays as it is.")
  private String restore;

  @Option(
      names = "--stop-timeout",
      paramLabel = "TIME",
      defaultValue = "20s",
      converter = DurationConverter.class,
      description =
          "How long a stop by Ctrl-C or SIGTERM may take to write a savepoint and to commit, such"
              + " as 30s or 2m (default: ${DEFAULT-VALUE}). A second Ctrl-C ends at once.")
  private Duration stopTimeout;

  @Mixin private WebOptions web;

  @Mixin private FlinkUiOption flinkUi;

  @Override
  public Integer call() throws Exception {
    require(!fresh || restore == null, "--fresh and --restore exclude each other; omit one.");
    Optional<WebSettings> page = web.settings();
    OptionalInt ui = flinkUi.port();
    JobConfig config = JobConfigReader.read(file);
    if (check != null) {
      terminal.results(config.toMaskedYaml());
      if (check == Check.ONLINE) {
        FilePlugins.load(Configuration.fromMap(config.engineSettings().resolve()));
      }
      JobCheck.Findings found =
          check == Check.ONLINE ? JobCheck.all(config) : JobCheck.Findings.NONE;
      return refused(found) ? ExitCodes.FAILED : 0;
    }
    Configuration engine = Configuration.fromMap(config.engineSettings().resolve());
    FilePlugins.load(engine);
    return run(ClusterSettings.applied(config, engine), engine, page, ui);
  }

  private boolean refused(JobCheck.Findings found) {
    found.notes().forEach(note -> terminal.message("latimer: " + note));
    found.problems().forEach(problem -> terminal.message("latimer: " + problem));
    return !found.problems().isEmpty();
  }

  private int run(JobConfig config, Configuration engine, Optional<WebSettings> web, OptionalInt ui)
      throws Exception {
    Optional<CheckpointFolder> folder = CheckpointFolder.of(config);
    try (StopSignal stop = new StopSignal(stopTimeout);
        SavedRuns runs = folder.isPresent() ? new SavedRuns(folder.get()) : null;
        LivePage page = web.map(LivePage::start).orElse(null)) {
      SavedRuns.Start start = start(config, runs);
      if (refused(JobCheck.brokers(config))) {
        return ExitCodes.FAILED;
      }
      Configuration submission = new Configuration();
      if (runs != null) {
        submission.set(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, runs.job().toHexString());
      }
      start
          .state()
          .ifPresent(
              state -> {
                submission.set(StateRecoveryOptions.SAVEPOINT_PATH, state.path());
                submission.set(
                    StateRecoveryOptions.RESTORE_MODE,
                    start.claimed() ? RecoveryClaimMode.CLAIM : RecoveryClaimMode.NO_CLAIM);
              });
      Configuration local = new Configuration(engine);
      if (page != null) {
        page.addTo(local);
      }
      try (LocalCluster cluster = LocalCluster.start(local, config.parallelism(), ui)) {
        Configuration all = new Configuration(engine);
        all.addAll(submission);
        StreamExecutionEnvironment environment =
            StreamExecutionEnvironment.createLocalEnvironment(config.parallelism(), all);
        if (page == null) {
          TranslationJob.build(environment, config);
        } else {
          TranslationJob.build(environment, config, page.tap());
        }
        if (ignoresUnclaimed(environment)) {
          // the job may have determined that it needs no more of the state
          submission.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
        }
        start.state().ifPresent(state -> requireClaimed(state, environment));
        if (stop.isRaised()) {
          terminal.message("latimer: stopping ...");
          return stop.exitCode();
        }
        if (runs != null) {
          runs.begin(start);
        }
        JobClient running = cluster.submit(environment, submission);
        terminal.message("latimer: job " + config.name() + " is running.");
        if (ui.isPresent()) {
          terminal.message("latimer: Flink's web page is at " + cluster.ui());
        }
        if (page != null) {
          page.begin(config, () -> {});
          terminal.message("latimer: its records are shown at " + page.url());
        }
        int exitCode =
            new JobRun(config, cluster, running, runs, new FailureReasons(config), terminal)
                .await(stop, stopTimeout);
        if (page != null && terminal.errIsTerminal() && !stop.isRaised()) {
          page.end();
          terminal.message("latimer: the page stays until Ctrl-C.");
          while (!stop.isRaised()) {
            Thread.sleep(STOP_POLL_MILLIS);
          }
        }
        return exitCode;
      }
    }
  }

  /** Determines the state that the job starts from, and prints it. */
  private SavedRuns.Start start(JobConfig config, SavedRuns runs) throws IOException {
    SavedRuns.Start start = SavedRuns.Start.ANEW;
    if (restore != null) {
      String uri =
          restore.matches("[a-z0-9+.-]+:.*")
              ? restore
              : CheckpointFolder.localUri(Path.of(restore));
      start = new SavedRuns.Start(Optional.of(SavedRuns.require(uri, List.of())), false);
    } else if (runs != null && !fresh) {
      start = runs.next();
    } else if (runs == null && !fresh) {
      warnOfKills(config);
    }
    start
        .state()
        .ifPresent(
            state ->
                terminal.message(
                    "latimer: resuming from checkpoint " + state.id() + ", " + state.path() + "."));
    return start;
  }

  /**
   * Warns that a kill loses batches in flight, because offsets are committed before these are
   * written.
   */
  private void warnOfKills(JobConfig config) {
    if (config.source() instanceof SourceConfig.Kafka kafka && kafka.start().equals("committed")) {
      terminal.message(
          "latimer: the job file has no checkpoints.directory: if this process is killed, the next"
              + " run goes on from the committed offsets, and batches in flight are lost.");
    }
  }

  /**
   * Refuses state that no operator claims. Flink would, too, but would name only the hash of an
   * operator's uid.
   */
  private static void requireClaimed(SavedState state, StreamExecutionEnvironment environment) {
    if (ignoresUnclaimed(environment)) {
      return;
    }
    Set<String> unclaimed = new TreeSet<>(state.operators());
    environment
        .getStreamGraph(false)
        .getStreamNodes()
        .forEach(node -> unclaimed.remove(node.getTransformationUID()));
    // a sink's second operator, covered by the check of the sink itself
    unclaimed.removeIf(uid -> uid.startsWith("Sink Committer: "));
    if (!unclaimed.isEmpty()) {
      throw new CommandException(
          state.path()
              + " has state of "
              + String.join(", ", unclaimed)
              + ", which this job does not have: it is of another job, or a stage or sink was"
              + " renamed or removed. Give it its old name, begin with --fresh, or drop that state"
              + " with engine: {execution.state-recovery.ignore-unclaimed-state: true}.");
    }
  }

  private static boolean ignoresUnclaimed(StreamExecutionEnvironment environment) {
    return environment
        .getConfiguration()
        .get(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE);
  }
}
