package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategyFactoryLoader;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

/** Properties of a job that must never change, or its state is lost. */
class JobShapeTest {
  private static final JobConfig JOB =
      Jobs.job(
          "kafka: {bootstrap-servers: 'broker:9092', topics: in, group-id: group,"
              + " start: '2026-11-21T12:00:00Z', bounded: true,"
              + " properties: {security.protocol: SASL_SSL}}",
          "kafka: {name: out, bootstrap-servers: 'broker:9092', topic: out,"
              + " transactional-id-prefix: prefix}",
          "kafka: {bootstrap-servers: 'broker:9092', topic: dead, transactional-id-prefix: dead}",
          2);

  private static StreamExecutionEnvironment environment() {
    return environment(JOB, "first", "second");
  }

  private static StreamExecutionEnvironment environment(JobConfig config, String... stages) {
    StreamExecutionEnvironment env = new StreamExecutionEnvironment();
    TranslationJob.build(
        env,
        config,
        Stream.of(stages)
            .map(
                name ->
                    name.equals("ngrams")
                        ? NgramStages.of("order: 1, sinks: [{print: {}}]")
                        : (Stage) new TestStage(name, batch -> {}))
            .toList());
    return env;
  }

  private static List<String> uids(StreamExecutionEnvironment env) {
    List<String> uids = new ArrayList<>();
    for (StreamNode node : env.getStreamGraph(false).getStreamNodes()) {
      assertThat(node.getTransformationUID()).as(node.getOperatorName()).isNotNull();
      uids.add(node.getTransformationUID());
    }
    return uids;
  }

  @Test
  void everyOperatorHasItsUid() {
    assertThat(uids(environment(Jobs.ungrouped(JOB), "first", "second")))
        .containsExactlyInAnyOrder(
            "source",
            "gather-first",
            "stage-first",
            "scatter-first",
            "gather-second",
            "stage-second",
            "scatter-second",
            "sink-out",
            "Sink Committer: sink-out",
            "groups",
            "dead-letters",
            "Sink Committer: dead-letters");
  }

  /** A group has the uids of its first stage, which thus keeps its state when one is appended. */
  @Test
  void stagesThatShareBatchesHaveTheUidsOfTheFirst() {
    assertThat(uids(environment()))
        .containsExactlyInAnyOrder(
            "source",
            "gather-first",
            "stage-first",
            "scatter-first",
            "sink-out",
            "Sink Committer: sink-out",
            "groups",
            "dead-letters",
            "Sink Committer: dead-letters");
    assertThat(uids(environment(JOB, "first")))
        .containsExactlyInAnyOrderElementsOf(uids(environment()));
  }

  @Test
  void whatChoosesTheRecordsOfASinkHasItsName() {
    JobConfig job = Jobs.with(JOB, "quality-from: 0.0", "quality-from: 0.5");
    assertThat(environment(job, "first").getStreamGraph(false).getStreamNodes())
        .filteredOn(node -> "quality-out".equals(node.getTransformationUID()))
        .singleElement()
        .satisfies(node -> assertThat(node.getOperatorName()).isEqualTo("sink-out quality"));
  }

  @Test
  void aStageThatMakesTablesEndsAGroup() {
    assertThat(uids(environment(JOB, "a", "b", "ngrams", "c", "d")))
        .contains("stage-a", "count-ngrams", "merge-ngrams", "stage-c")
        .doesNotContain("stage-b", "stage-d");
  }

  @Test
  void theMaximumParallelismIsSetEverywhere() {
    JobGraph graph = environment().getStreamGraph(false).getJobGraph();
    assertThat(StreamSupport.stream(graph.getVertices().spliterator(), false))
        .extracting(JobVertex::getMaxParallelism)
        .containsOnly(128);
  }

  @Test
  void aStageRunsInTheTaskOfItsSource() {
    JobGraph graph = environment().getStreamGraph(false).getJobGraph();
    JobVertex first = graph.getVerticesSortedTopologicallyFromSources().get(0);
    assertThat(first.getName())
        .contains("kafka source", "gather first, second", "scatter first, second", "sink-out");
    assertThat(
            environment(Jobs.ungrouped(JOB), "first", "second")
                .getStreamGraph(false)
                .getJobGraph()
                .getVerticesSortedTopologicallyFromSources()
                .get(0)
                .getName())
        .contains("kafka source", "gather first", "scatter first", "scatter second", "sink-out");
  }

  @Test
  void genericTypesAreRefused() {
    assertThat(environment().getConfiguration().get(PipelineOptions.GENERIC_TYPES)).isFalse();
  }

  @Test
  void theEnginesOwnSettingsArePassedOn() {
    StreamExecutionEnvironment env =
        environment(
            Jobs.with(JOB, "engine: {}", "engine: {execution.buffer-timeout.interval: 7 ms}"));
    assertThat(env.getBufferTimeout()).isEqualTo(7);
  }

  @Test
  void aJobThatKeepsFailingEnds() {
    RestartBackoffTimeStrategy strategy = strategy("1d");
    for (int failures = 1; failures <= 3; failures++) {
      strategy.notifyFailure(new IOException("broken"));
      assertThat(strategy.canRestart()).isTrue();
      // the remainder of a delay of 1 ms: it does not grow, and time has passed
      assertThat(strategy.getBackoffTime()).isBetween(0L, 1L);
      pause();
    }
    strategy.notifyFailure(new IOException("broken"));
    assertThat(strategy.canRestart()).isFalse();
  }

  @Test
  void aJobThatFailsNowAndThenLivesOn() {
    RestartBackoffTimeStrategy strategy = strategy("1ms");
    for (int failures = 1; failures <= 12; failures++) {
      strategy.notifyFailure(new IOException("broken"));
      assertThat(strategy.canRestart()).as("after failure %d", failures).isTrue();
      pause();
    }
  }

  /** Flink's reaction to failures of a job with three attempts and no delay. */
  private static RestartBackoffTimeStrategy strategy(String quiet) {
    StreamExecutionEnvironment env = environment(Jobs.with(JOB, "quiet: 10min", "quiet: " + quiet));
    return RestartBackoffTimeStrategyFactoryLoader.createRestartBackoffTimeStrategyFactory(
            env.getStreamGraph(false).getJobConfiguration(), new Configuration(), true)
        .create();
  }

  /** Longer than the delay and the quiet time together. */
  private static void pause() {
    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
  }

  private static StreamExecutionEnvironment environment(JobConfig config) {
    StreamExecutionEnvironment env = new StreamExecutionEnvironment();
    TranslationJob.build(env, config);
    return env;
  }
}
