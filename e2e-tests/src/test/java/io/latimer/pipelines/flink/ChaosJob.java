package io.latimer.pipelines.flink;

import io.latimer.e2e.chaos.WatchedStage;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The packaged job, with each of its stages that processes batches inside a {@link WatchedStage},
 * except those that learn: of these, what is inside could not. A stage cannot be added to a
 * packaged job, because the registry of stages is in its jar; what makes a job of stages is visible
 * in this package only.
 */
public final class ChaosJob {
  private ChaosJob() {}

  /** The job file, the folder for {@link WatchedStage}, and milliseconds for a batch. */
  public static void main(String[] args) throws Exception {
    JobConfig config = JobConfigReader.read(Path.of(args[0]));
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    build(env, config, args[1], Long.parseLong(args[2]));
    env.execute(config.name());
  }

  /**
   * Builds a job.
   *
   * @param folder an existing folder, for {@link WatchedStage}
   * @param millis the least time for a batch
   */
  public static void build(
      StreamExecutionEnvironment env, JobConfig config, String folder, long millis) {
    List<String> learning =
        config.control().learn().stream().map(ControlConfig.Learn::stage).toList();
    List<Stage> stages =
        config.newStages().stream()
            .map(
                stage ->
                    stage instanceof BatchStage batches && !learning.contains(stage.name())
                        ? new WatchedStage(batches, folder, millis)
                        : stage)
            .toList();
    TranslationJob.build(env, config, stages);
  }
}
