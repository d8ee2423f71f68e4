package io.latimer.pipelines.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MetricsDocsTest {
  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final Path PAGE = ROOT.resolve("docs/metrics.md");
  private static final Path NEW_PAGE = ROOT.resolve("pipelines/common/target/metrics.md");

  @Test
  void thePageIsWhatTheTablesOfMetricsSay() throws Exception {
    Files.createDirectories(NEW_PAGE.getParent());
    Files.writeString(NEW_PAGE, MetricsDocs.markdown());
    assertThat(Files.readString(PAGE))
        .as("metrics have changed: cp pipelines/common/target/metrics.md docs/")
        .isEqualTo(MetricsDocs.markdown());
  }

  @Test
  void everyMetricIsExplained() {
    for (MetricsDocs.Section section : MetricsDocs.sections()) {
      assertThat(section.doc()).endsWith(".");
      for (Metric metric : section.metrics()) {
        assertThat(metric.doc()).as(metric.id()).endsWith(".").hasSizeGreaterThan(10);
      }
      assertThat(section.metrics()).extracting(Metric::prometheusName).doesNotHaveDuplicates();
    }
  }
}
