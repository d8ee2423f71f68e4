package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Errors;
import io.latimer.cli.terminal.ClosedOutputException;
import io.latimer.cli.terminal.ProgressLine;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.cli.terminal.Terminal;
import io.latimer.pipelines.flink.sink.LostLinesException;
import io.latimer.pipelines.flink.source.SourceOffsets;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.source.SourceConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.executiongraph.ErrorInfo;
import org.apache.flink.util.ExceptionUtils;

/**
 * A running job: reports its restarts, and stops it.
 *
 * @param runs the job's checkpoint folder, or null if it has no permanent one
 */
record JobRun(
    JobConfig config,
    LocalCluster cluster,
    JobClient running,
    SavedRuns runs,
    FailureReasons reasons,
    Terminal terminal) {
  private static final long WATCH_NANOS = 500_000_000;

  /**
   * Waits until the job ends or is stopped.
   *
   * @param limit maximum time for a stop
   * @return the command's exit code
   */
  int await(StopSignal stop, Duration limit) throws Exception {
    CompletableFuture<JobExecutionResult> result = running.getJobExecutionResult();
    RestartWatch watch =
        new RestartWatch(
            config.restarts(), config.written().contains(JobConfig.EngineKey.RESTARTS));
    long watched = System.nanoTime();
    while (!stop.isRaised()) {
      try {
        return ended(result.get(200, TimeUnit.MILLISECONDS), 0);
      } catch (TimeoutException e) {
        if (System.nanoTime() - watched > WATCH_NANOS) {
          report(watch, result);
          watched = System.nanoTime();
        }
      } catch (ExecutionException e) {
        throw failed(e);
      }
    }
    terminal.message("latimer: stopping ...");
    if (!stop(limit) && result.isDone() && !result.isCompletedExceptionally()) {
      return ended(result.get(), stop.exitCode()); // the job ended first, or the stop is complete
    }
    return stop.exitCode();
  }

  /**
   * Records how the job ended.
   *
   * @param stopped the exit code if it was stopped
   */
  private int ended(JobExecutionResult result, int stopped)
      throws IOException, InterruptedException {
    Optional<String> savepoint = cluster.stoppedWith();
    if (savepoint.isPresent()) {
      if (runs == null) {
        terminal.message("latimer: the job was stopped.");
      } else {
        runs.stopped(savepoint.get());
        terminal.message("latimer: the job was " + stoppedWith(savepoint.get()));
      }
      return stopped;
    }
    if (runs != null) {
      runs.end();
    }
    terminal.message(
        "latimer: the job ended after " + ProgressLine.clock(result.getNetRuntime() / 1000) + ".");
    return 0;
  }

  private RuntimeException failed(ExecutionException error) throws InterruptedException {
    if (Terminal.standardOutputIsPipe()
        && ExceptionUtils.findThrowable(error, LostLinesException.class).isPresent()) {
      return new ClosedOutputException();
    }
    String next =
        runs == null
            ? ""
            : runs.newest().map(state -> ". The same command resumes from " + state).orElse("");
    return new CommandException("the job failed: " + reasons.of(error) + next, error);
  }

  private void report(RestartWatch watch, CompletableFuture<?> result) throws InterruptedException {
    List<RestartWatch.Failure> failures = new ArrayList<>();
    for (ErrorInfo failure : cluster.failures()) {
      if (watch.isNew(failure.getTimestamp())) {
        Throwable error = failure.getException().deserializeError(JobRun.class.getClassLoader());
        failures.add(new RestartWatch.Failure(failure.getTimestamp(), reasons.of(error)));
      }
    }
    if (!result.isDone()) { // the end itself has its own message
      watch.report(failures).forEach(line -> terminal.message("latimer: " + line));
    }
  }

  /**
   * Stops the job. With a checkpoint folder, it is stopped with a savepoint from which the next run
   * resumes: windows stay open, and it contains the batches in flight. Without a folder nothing can
   * resume, so the job is drained and writes everything it has read.
   *
   * @return whether the job was stopped in this way
   */
  private boolean stop(Duration limit) throws InterruptedException {
    String problem;
    try {
      String savepoint =
          cluster
              .stop(runs == null ? cluster.temporaryUri() : runs.uri(), runs == null, limit)
              .get(limit.toMillis(), TimeUnit.MILLISECONDS);
      terminal.message(
          "latimer: " + (runs == null ? stoppedWithout(savepoint) : stoppedWith(savepoint)));
      return true;
    } catch (TimeoutException e) {
      problem = "not done within " + limit.toSeconds() + " s (--stop-timeout)";
    } catch (ExecutionException e) {
      if (running.getJobStatus().isDone() && isFinished()) {
        return false;
      }
      problem = LocalCluster.rootMessage(e);
    }
    String next =
        runs == null
            ? "what was not committed is lost"
            : runs.newest()
                .map(state -> "the same command resumes from " + state)
                .orElse("the same command begins anew");
    terminal.message("latimer: stopped without a savepoint: " + problem + "; " + next + ".");
    return false;
  }

  /**
   * Completes a stop after which only Kafka keeps state: commits the offsets up to which everything
   * is written. Returns the message.
   */
  private String stoppedWithout(String savepoint) throws InterruptedException {
    String stopped = "stopped; all that was read is written.";
    String problem = "";
    if (config.source() instanceof SourceConfig.Kafka kafka && kafka.start().equals("committed")) {
      try {
        SourceOffsets.commit(SavedState.read(savepoint), kafka);
        return stopped;
      } catch (IOException e) {
        problem = " " + Errors.sentence(e);
      }
    }
    return stopped
        + problem
        + " Without checkpoints.directory, the next run may write some of it again.";
  }

  private boolean isFinished() throws InterruptedException {
    try {
      return running.getJobStatus().get().isGloballyTerminalState();
    } catch (ExecutionException e) {
      return false;
    }
  }

  private static String stoppedWith(String savepoint) {
    return "stopped with savepoint "
        + savepoint
        + "; "
        + left(savepoint)
        + ". The same command goes on from it.";
  }

  private static String left(String savepoint) {
    try {
      Map<String, Integer> batches = SavedState.read(savepoint).batchesInFlight();
      int count = batches.values().stream().mapToInt(Integer::intValue).sum();
      return count == 0
          ? "all that was read is written"
          : "it has what was in flight: "
              + count
              + (count == 1 ? " batch or watermark" : " batches and watermarks");
    } catch (IOException e) {
      return "it cannot be read: " + e.getMessage();
    }
  }
}
