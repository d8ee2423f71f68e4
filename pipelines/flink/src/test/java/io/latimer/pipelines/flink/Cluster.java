package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.util.MiniClusterPipelineExecutorServiceLoader;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One mini cluster for all tests of a class. */
public final class Cluster implements BeforeAllCallback, AfterAllCallback {
  static final int SLOTS = 4;

  private final InMemoryReporter metrics = InMemoryReporter.createWithRetainedMetrics();
  private final Configuration settings;
  private MiniCluster cluster;

  public Cluster() {
    this(Map.of());
  }

  /** With settings of its own, such as reporters. */
  public Cluster(Map<String, String> settings) {
    this.settings = Configuration.fromMap(settings);
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(metrics.addToConfiguration(settings))
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(SLOTS)
                .withRandomPorts()
                .build());
    cluster.start();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    cluster.close();
  }

  /** The metrics of a job by their names, also of ended jobs. */
  Map<String, Metric> metrics(JobID job) {
    return metrics.getMetricsByIdentifiers(job);
  }

  /** The sum of a counter over a job's operators. */
  long counter(JobID job, String name) {
    return metrics(job).entrySet().stream()
        .filter(metric -> metric.getKey().endsWith("." + name))
        .mapToLong(metric -> ((Counter) metric.getValue()).getCount())
        .sum();
  }

  /** Runs a job to its end, with these stages instead of its own if there are any. */
  public JobID run(JobConfig config, Stage... stages) throws Exception {
    return environment(config, stages).execute().getJobID();
  }

  public JobClient start(JobConfig config, Stage... stages) throws Exception {
    return environment(config, stages).executeAsync();
  }

  /** Starts a job from a savepoint. */
  public JobClient restore(String savepoint, JobConfig config, Stage... stages) throws Exception {
    StreamExecutionEnvironment env = environment(config, stages);
    env.configure(
        Configuration.fromMap(Map.of(StateRecoveryOptions.SAVEPOINT_PATH.key(), savepoint)));
    return env.executeAsync();
  }

  /** Takes a checkpoint. */
  void checkpoint(JobID job) throws Exception {
    cluster.triggerCheckpoint(job).get();
  }

  /** Waits until a subtask of a job has finished. */
  void awaitFinishedSubtask(JobID job) throws Exception {
    while (!states(job).contains(ExecutionState.FINISHED)) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** Waits until all subtasks of a job run. */
  public void awaitRunning(JobID job) throws Exception {
    List<ExecutionState> states;
    do {
      TimeUnit.MILLISECONDS.sleep(20);
      states = states(job);
    } while (states.isEmpty() || !states.stream().allMatch(ExecutionState.RUNNING::equals));
  }

  private List<ExecutionState> states(JobID job) throws Exception {
    List<ExecutionState> states = new ArrayList<>();
    for (AccessExecutionVertex vertex :
        cluster.getExecutionGraph(job).get().getAllExecutionVertices()) {
      states.add(vertex.getExecutionState());
    }
    return states;
  }

  /** The failure that ended a job, and how often it was restarted. */
  public Throwable awaitFailure(JobID job, int restarts) throws Exception {
    Throwable failure =
        cluster
            .requestJobResult(job)
            .get()
            .getSerializedThrowable()
            .orElseThrow()
            .deserializeError(getClass().getClassLoader());
    assertThat(failure).isNotNull();
    assertThat(restarts(job)).isEqualTo(restarts);
    return failure;
  }

  /** How often a job was restarted. */
  public long restarts(JobID job) {
    return (Long) ((Gauge<?>) metrics.findJobMetricGroups(job, "numRestarts").get(0).f2).getValue();
  }

  /** Waits until a job has ended, successfully or not. */
  public void awaitEnd(JobID job) throws Exception {
    cluster.requestJobResult(job).get();
  }

  public StreamExecutionEnvironment environment(JobConfig config, Stage... stages) {
    StreamExecutionEnvironment env = environment();
    TranslationJob.build(
        env, config, stages.length == 0 ? TranslationJob.newStages(config) : List.of(stages));
    return env;
  }

  /** For a job of a test's own. */
  public StreamExecutionEnvironment environment() {
    return new StreamExecutionEnvironment(
        new MiniClusterPipelineExecutorServiceLoader(cluster),
        MiniClusterPipelineExecutorServiceLoader.updateConfigurationForMiniCluster(
            new Configuration(), List.of(), List.of()),
        getClass().getClassLoader());
  }
}
