package io.latimer.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.cli.terminal.StopSignal;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class JobRunTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir Path folder;

  /** As a stop that ends only after its time; Flink calls the job finished. */
  @Test
  void aJobThatWasStoppedMeanwhileGoesOnFromThatSavepoint() throws Exception {
    Files.createDirectory(folder.resolve("in"));
    JobConfig config =
        JobConfigReader.read(
            """
            name: news
            source: {files: {path: in, watch: 100ms}}
            stages: [identity]
            sinks: [files: {path: out}]
            checkpoints: {interval: 100ms, directory: state}
            """,
            "job.yaml",
            folder);
    CheckpointFolder checkpoints = CheckpointFolder.of(config).orElseThrow();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    String target = "file:" + folder.resolve("savepoints");
    try (SavedRuns runs = new SavedRuns(checkpoints);
        LocalCluster cluster =
            LocalCluster.start(new Configuration(), config.parallelism(), OptionalInt.empty());
        StopSignal stop = new StopSignal(LIMIT)) {
      JobClient running = submit(config, runs, cluster);
      JobRun run =
          new JobRun(
              config,
              cluster,
              running,
              runs,
              new FailureReasons(config),
              Run.terminal(
                  new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), err));
      CompletableFuture<Integer> exitCode =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return run.await(stop, LIMIT);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThat(cluster.stop(target, false, LIMIT).get(60, TimeUnit.SECONDS)).startsWith(target);
      assertThat(exitCode.get(60, TimeUnit.SECONDS)).isZero();
    }
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("latimer: the job was stopped with savepoint " + target)
        .doesNotContain("the job ended");
    try (SavedRuns next = new SavedRuns(checkpoints)) {
      SavedRuns.Start start = next.next();
      assertThat(start.state().map(SavedState::path).orElseThrow())
          .startsWith(target + "/savepoint-");
      assertThat(start.claimed()).isFalse();
    }
  }

  /** Returns once all tasks run and a checkpoint is complete: until then, Flink refuses to stop. */
  private static JobClient submit(JobConfig config, SavedRuns runs, LocalCluster cluster)
      throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(config.parallelism());
    TranslationJob.build(environment, config);
    Configuration submission = new Configuration();
    submission.set(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, runs.job().toHexString());
    runs.begin(SavedRuns.Start.ANEW);
    JobClient running = cluster.submit(environment, submission);
    while (running.getJobStatus().get() != JobStatus.RUNNING || runs.newest().isEmpty()) {
      Thread.sleep(20);
    }
    return running;
  }
}
