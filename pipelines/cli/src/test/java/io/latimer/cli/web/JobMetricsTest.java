package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.metrics.BatchMetrics;
import java.util.List;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class JobMetricsTest {
  private static final String SIZE = BatchMetrics.BATCH_SIZE.id();
  private static final String GPU = BatchMetrics.STAGE_GPU.id();
  private static final Gauge<Integer> NO_GPU = () -> -1;

  private final JobMetrics metrics = new JobMetrics();
  private final MetricGroup group = new UnregisteredMetricsGroup();

  @BeforeEach
  void aJobRuns() {
    metrics.notifyOfAddedMetric(sizes(7), SIZE, group);
    metrics.notifyOfAddedMetric(NO_GPU, GPU, group);
  }

  @AfterEach
  void close() {
    metrics.close();
  }

  private static DescriptiveStatisticsHistogram sizes(int batch) {
    DescriptiveStatisticsHistogram sizes = new DescriptiveStatisticsHistogram(10);
    sizes.update(batch);
    return sizes;
  }

  private String shown(boolean ended) {
    return PageJson.of(
        json -> {
          json.writeStartObject();
          metrics.write(json, ended, 64, List.of());
          json.writeEndObject();
        });
  }

  @Test
  void showsAJobThatEndedWhileItsMetricsAreBeingRemoved() {
    metrics.notifyOfRemovedMetric(sizes(7), SIZE, group);
    assertThat(shown(true)).contains("\"mean\":7.0,\"largest\":7,");
    metrics.notifyOfRemovedMetric(NO_GPU, GPU, group);
    assertThat(shown(true)).contains("\"mean\":7.0,\"largest\":7,");
  }

  @Test
  void countsATaskThatRestartedOnce() {
    metrics.notifyOfRemovedMetric(sizes(7), SIZE, group);
    metrics.notifyOfAddedMetric(sizes(3), SIZE, group);
    assertThat(shown(true)).contains("\"mean\":3.0,\"largest\":3,");
  }

  @Test
  void showsWhatAJobHadUntilItHasRestarted() {
    metrics.notifyOfRemovedMetric(sizes(7), SIZE, group);
    metrics.notifyOfRemovedMetric(NO_GPU, GPU, group);
    assertThat(shown(false)).contains("\"mean\":7.0,\"largest\":7,");
    metrics.notifyOfAddedMetric(sizes(3), SIZE, group);
    assertThat(shown(false)).contains("\"mean\":3.0,\"largest\":3,");
  }
}
