package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class ClusterSettingsTest {
  private static final String JOB =
      """
      name: a/b
      source: {list: {lines: [a]}}
      stages: [identity]
      """;

  private static JobConfig job(String more) {
    return JobConfigReader.read(JOB + more, "job.yaml", Path.of("/"));
  }

  private static StreamExecutionEnvironment built(JobConfig config, Map<String, String> cluster) {
    StreamExecutionEnvironment env = new StreamExecutionEnvironment(Configuration.fromMap(cluster));
    TranslationJob.build(env, config);
    return env;
  }

  private static final Map<String, String> CLUSTER =
      Map.of(
          "parallelism.default", "3",
          "pipeline.max-parallelism", "64",
          "execution.checkpointing.interval", "7 s",
          "execution.checkpointing.timeout", "70 s",
          "execution.checkpointing.externalized-checkpoint-retention", "DELETE_ON_CANCELLATION",
          "restart-strategy.type", "failure-rate");

  @Test
  void whatTheFileLeavesOutComesFromTheCluster() {
    StreamExecutionEnvironment env = built(job(""), CLUSTER);
    ReadableConfig settings = env.getConfiguration();
    assertThat(env.getParallelism()).isEqualTo(3);
    assertThat(env.getMaxParallelism()).isEqualTo(64);
    assertThat(settings.get(CheckpointingOptions.CHECKPOINTING_INTERVAL))
        .isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT))
        .isEqualTo(Duration.ofSeconds(70));
    assertThat(settings.get(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION))
        .isEqualTo(ExternalizedCheckpointRetention.DELETE_ON_CANCELLATION);
    assertThat(settings.get(RestartStrategyOptions.RESTART_STRATEGY)).isEqualTo("failure-rate");
  }

  private static final String TO_KAFKA = "sinks: [{kafka: {topic: a}}]\n";

  @Test
  void transactionsMustOutliveTheCheckpointsThatTakeEffect() {
    Map<String, String> rare = Map.of("execution.checkpointing.interval", "1 h");
    assertThatThrownBy(() -> built(job(TO_KAFKA), rare))
        .hasMessageStartingWith(
            "execution.checkpointing.interval: 3600000 ms and checkpoints.timeout (600000 ms)")
        .hasMessageContaining("transaction.timeout.ms of sink kafka (900000 ms)");
    Map<String, String> slow = Map.of("execution.checkpointing.timeout", "1 h");
    assertThatThrownBy(() -> built(job(TO_KAFKA), slow))
        .hasMessageStartingWith(
            "checkpoints.interval: 10000 ms and execution.checkpointing.timeout (3600000 ms)");
    // the file's own values take precedence
    String own = TO_KAFKA + "checkpoints: {interval: 1s, timeout: 10s}\n";
    assertThat(built(job(own), rare).getCheckpointInterval()).isEqualTo(1_000);
    // the cluster's fit a short transaction, which the file's default does not
    String brief = "sinks: [{kafka: {topic: a, properties: {transaction.timeout.ms: 90000}}}]\n";
    assertThatThrownBy(() -> built(job(brief), Map.of()))
        .hasMessageStartingWith("checkpoints.interval: 10000 ms");
    assertThat(built(job(brief), CLUSTER).getCheckpointInterval()).isEqualTo(7_000);
  }

  @Test
  void whatTheFileSaysTakesPrecedence() {
    StreamExecutionEnvironment env =
        built(
            job(
                """
                parallelism: 2
                max-parallelism: 32
                checkpoints: {interval: 4s, timeout: 40s, directory: /state}
                restarts: {attempts: 5}
                """),
            CLUSTER);
    ReadableConfig settings = env.getConfiguration();
    assertThat(env.getParallelism()).isEqualTo(2);
    assertThat(env.getMaxParallelism()).isEqualTo(32);
    assertThat(settings.get(CheckpointingOptions.CHECKPOINTING_INTERVAL))
        .isEqualTo(Duration.ofSeconds(4));
    assertThat(settings.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT))
        .isEqualTo(Duration.ofSeconds(40));
    assertThat(settings.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY))
        .isEqualTo("file:/state/a=2Fb");
    assertThat(settings.get(RestartStrategyOptions.RESTART_STRATEGY))
        .isEqualTo("exponential-delay");
    assertThat(settings.get(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS))
        .isEqualTo(5);
  }

  @Test
  void whereNeitherSaysAnythingOurDefaultsApply() {
    StreamExecutionEnvironment env = built(job(""), Map.of());
    ReadableConfig settings = env.getConfiguration();
    assertThat(env.getParallelism()).isEqualTo(1);
    assertThat(settings.get(CheckpointingOptions.CHECKPOINTING_INTERVAL))
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(settings.get(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION))
        .isEqualTo(ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    assertThat(settings.get(RestartStrategyOptions.RESTART_STRATEGY))
        .isEqualTo("exponential-delay");
  }

  @Test
  void aFileWithoutCheckpointsHasNoneOnAClusterWithAnInterval() {
    StreamExecutionEnvironment env = built(job("checkpoints: {interval: 0}\n"), CLUSTER);
    assertThat(env.getCheckpointConfig().isCheckpointingEnabled()).isFalse();
  }

  /** The engine section of the file is the cluster's configuration for one job. */
  @Test
  void theEngineSectionOverridesTheCluster() {
    StreamExecutionEnvironment env =
        built(job("engine: {parallelism.default: 5, restart-strategy.type: none}\n"), CLUSTER);
    assertThat(env.getParallelism()).isEqualTo(5);
    assertThat(env.getConfiguration().get(RestartStrategyOptions.RESTART_STRATEGY))
        .isEqualTo("none");
  }

  /** A watermark in the state must be the same in all subtasks. */
  @Test
  void barriersAreAlignedWhateverTheClusterSays() {
    Map<String, String> unaligned = Map.of("execution.checkpointing.unaligned.enabled", "true");
    assertThat(built(job(""), unaligned).getCheckpointConfig().isUnalignedCheckpointsEnabled())
        .isFalse();
    String own = "engine: {execution.checkpointing.unaligned: true}\n";
    assertThat(built(job(own), Map.of()).getCheckpointConfig().isUnalignedCheckpointsEnabled())
        .isFalse();
  }

  @Test
  void valuesOfTheClusterThatDoNotFitTheJobAreRefused() {
    assertThatThrownBy(() -> built(job(""), Map.of("parallelism.default", "200")))
        .hasMessageContaining("parallelism: must be from 1 to max-parallelism")
        .hasMessageContaining("found 200 and 128");
  }

  @Test
  void theJobFileIsShownWithoutItsSecrets() {
    StreamExecutionEnvironment env =
        built(
            job("engine: {s3.secret-key: mine}\n"),
            Map.of("pipeline.global-job-parameters", "team:us"));
    assertThat(env.getConfig().getGlobalJobParameters().toMap())
        .containsEntry("team", "us")
        .containsEntry("name", "a/b")
        .containsEntry("source.list.lines", "[a]")
        .containsEntry("engine.s3.secret-key", "******");
    assertThat(env.getConfiguration().get(PipelineOptions.GLOBAL_JOB_PARAMETERS))
        .doesNotContainValue("mine");
  }
}
