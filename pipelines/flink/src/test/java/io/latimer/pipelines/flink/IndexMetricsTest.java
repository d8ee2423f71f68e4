package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;
import org.apache.flink.runtime.metrics.groups.GenericMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.junit.jupiter.api.Test;

class IndexMetricsTest {
  private static final String FIRST = "1".repeat(64);
  private static final String SECOND = "2".repeat(64);

  /** The metrics that are registered: the SHA-256 of info, the names of others. */
  private final List<String> names = new ArrayList<>();

  private final List<Metric> metrics = new ArrayList<>();
  private final IndexMetrics indexes =
      new IndexMetrics(
          new GenericMetricGroup(
              TestingMetricRegistry.builder()
                  .setNumberReporters(1)
                  .setRegisterConsumer(this::register)
                  .setUnregisterConsumer(this::unregister)
                  .build(),
              null,
              "operator"));

  private void register(Metric metric, String name, AbstractMetricGroup<?> group) {
    names.add(name(name, group));
    metrics.add(metric);
  }

  private void unregister(Metric metric, String name, AbstractMetricGroup<?> group) {
    names.remove(name(name, group));
    metrics.remove(metric);
  }

  private static String name(String name, AbstractMetricGroup<?> group) {
    return name.equals("indexInfo") ? group.getAllVariables().get("<sha256>") : name;
  }

  private static TestStage on(String sha256) {
    return new TestStage("work", batch -> {}, sha256, false);
  }

  private long value(String name) {
    return ((Number) ((Gauge<?>) metrics.get(names.indexOf(name))).getValue()).longValue();
  }

  private void opened(String sha256, long millis) {
    indexes.opened(on(sha256), TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void aStageWithoutAnIndexHasNoMetrics() {
    indexes.opened(on(null), 1);
    indexes.inUse(on(null));
    assertThat(names).isEmpty();
  }

  @Test
  void whatIsOpenedAndNotUsedIsNotShown() {
    opened(FIRST, 5);
    assertThat(names).isEmpty();
    indexes.inUse(on(FIRST));
    opened(SECOND, 9);
    assertThat(names).containsExactlyInAnyOrder(FIRST, "indexBytes", "indexAge", "indexLoadTime");
    assertThat(value("indexLoadTime")).isEqualTo(5);
  }

  @Test
  void aSwapReplacesTheIndexAndARollbackBringsItBack() {
    opened(FIRST, 5);
    indexes.inUse(on(FIRST));
    opened(SECOND, 9);
    indexes.inUse(on(SECOND));
    assertThat(names).contains(SECOND).doesNotContain(FIRST).hasSize(4);
    assertThat(value(SECOND)).isEqualTo(1);
    assertThat(value("indexLoadTime")).isEqualTo(9);
    opened(FIRST, 7);
    indexes.inUse(on(FIRST));
    assertThat(names).contains(FIRST).doesNotContain(SECOND).hasSize(4);
    assertThat(value("indexLoadTime")).isEqualTo(7);
    assertThat(value("indexAge")).isLessThan(60);
  }
}
