package io.latimer.pipelines.beam;

import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.metrics.DistributionResult;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricQueryResults;
import org.apache.beam.sdk.metrics.MetricsFilter;

/** The metrics of the stage of a pipeline that has one. */
record StageMetrics(PipelineResult result) {
  private MetricQueryResults named(String name) {
    return result
        .metrics()
        .queryMetrics(
            MetricsFilter.builder()
                .addNameFilter(MetricNameFilter.named(StageTransform.class, name))
                .build());
  }

  /** The value of a counter; 0 if nothing was counted. */
  long counter(String name) {
    long sum = 0;
    for (var one : named(name).getCounters()) {
      sum += one.getAttempted();
    }
    return sum;
  }

  /** What a distribution has seen. */
  DistributionResult distribution(String name) {
    return named(name).getDistributions().iterator().next().getAttempted();
  }
}
