package io.latimer.pipelines.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.util.MiniClusterPipelineExecutorServiceLoader;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One mini cluster for all tests of a class. */
final class Cluster implements BeforeAllCallback, AfterAllCallback {
  static final int SLOTS = 4;

  private final InMemoryReporter metrics = InMemoryReporter.createWithRetainedMetrics();
  private MiniCluster cluster;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(metrics.addToConfiguration(new Configuration()))
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

  /** The metrics of all jobs with a name, also of ended ones. */
  List<Metric> metrics(String name) {
    return metrics.findGroups("latimer").stream()
        .map(group -> metrics.getMetricsByGroup(group).get(name))
        .filter(Objects::nonNull)
        .toList();
  }

  /** Takes a checkpoint. */
  void checkpoint(JobID job) throws Exception {
    cluster.triggerCheckpoint(job).get();
  }

  /** Ends the task manager at once, and starts another. */
  void replaceTaskManager() throws Exception {
    cluster.terminateTaskManager(0).get();
    cluster.startTaskManager();
  }

  /**
   * A session.
   *
   * @param settings of the cluster and the session
   */
  StreamTableEnvironment session(boolean batch, int parallelism, Map<String, String> settings) {
    Configuration all = Configuration.fromMap(settings);
    StreamExecutionEnvironment env =
        new StreamExecutionEnvironment(
            new MiniClusterPipelineExecutorServiceLoader(cluster),
            MiniClusterPipelineExecutorServiceLoader.updateConfigurationForMiniCluster(
                all, List.of(), List.of()),
            getClass().getClassLoader());
    env.setParallelism(parallelism);
    EnvironmentSettings.Builder mode = EnvironmentSettings.newInstance();
    StreamTableEnvironment session =
        StreamTableEnvironment.create(
            env, (batch ? mode.inBatchMode() : mode.inStreamingMode()).build());
    settings.forEach(session.getConfig()::set);
    return session;
  }

  /** The rows of a query that ends. */
  static List<Row> rows(StreamTableEnvironment session, String query) throws Exception {
    return rows(session.executeSql(query));
  }

  /** All rows of a result. */
  static List<Row> rows(TableResult result) throws Exception {
    List<Row> rows = new ArrayList<>();
    CloseableIterator<Row> found = result.collect();
    try {
      found.forEachRemaining(rows::add);
    } finally {
      found.close();
    }
    return rows;
  }
}
