package io.latimer.cli.web;

import java.util.Properties;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Provides the page's reporter to Flink, which loads this class as a service. */
public final class JobMetricsFactory implements MetricReporterFactory {
  @Override
  public MetricReporter createMetricReporter(Properties settings) {
    JobMetrics metrics = JobMetrics.find(settings.getProperty(JobMetrics.ID, ""));
    if (metrics == null) {
      throw new IllegalArgumentException("the reporter of the live page is not for job files");
    }
    return metrics;
  }
}
