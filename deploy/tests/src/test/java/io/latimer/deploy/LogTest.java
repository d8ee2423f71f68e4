package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What logs leave out; those of Kubernetes and the chart are those of the image. */
class LogTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "deploy/docker/flink/conf/log4j-console.properties",
        "deploy/docker/compose/conf/log4j-console.properties",
        "pipelines/cli/src/main/resources/log4j2.properties"
      })
  void onlyFlinksFalseWarningsAreLeftOut(String configuration) throws Exception {
    Path file = folder.resolve("latimer.log");
    Shell shell =
        Shell.run(
            Map.of(),
            folder,
            List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Dlog4j.configurationFile=" + Deploy.ROOT.resolve(configuration).toUri(),
                "-Dlatimer.log=" + file,
                "-cp",
                System.getProperty("java.class.path"),
                RepeatedMetrics.class.getName()));
    assertThat(shell.status()).as(shell.output()).isZero();
    String log = shell.output() + (Files.exists(file) ? Files.readString(file) : "");
    assertThat(log)
        .contains("Metric with the name 'batches'")
        .doesNotContain("pendingCommittables")
        .doesNotContain("currentSendTime");
  }

  /** Registers metrics as Flink does and does not. */
  static final class RepeatedMetrics {
    private RepeatedMetrics() {}

    public static void main(String[] arguments) {
      MetricGroup group = UnregisteredMetricGroups.createUnregisteredTaskManagerMetricGroup();
      Gauge<Integer> gauge = () -> 0;
      for (String name : List.of("pendingCommittables", "currentSendTime", "batches")) {
        group.gauge(name, gauge);
        group.gauge(name, gauge);
      }
    }
  }
}
