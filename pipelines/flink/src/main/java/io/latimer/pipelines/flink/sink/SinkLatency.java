package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.task.Labels;
import io.latimer.pipelines.metrics.SinkMetrics;
import io.latimer.schemas.Envelope;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;

/**
 * Measures the latency of records at a sink. Other elements, such as tables, are not measured, and
 * their sinks do not have the metrics.
 */
final class SinkLatency {
  private final MetricGroup group;
  private Histogram eventTime;
  private Histogram ingestionTime;

  /** Registers the metrics with the first record. */
  SinkLatency(MetricGroup group) {
    this.group = group;
  }

  /** Measures an element that is being written. */
  void written(Object element) {
    if (!(element instanceof Envelope envelope)) {
      return;
    }
    if (eventTime == null) {
      eventTime = Labels.histogram(group, SinkMetrics.EVENT_TIME_LATENCY);
      ingestionTime = Labels.histogram(group, SinkMetrics.INGESTION_TIME_LATENCY);
    }
    long now = System.currentTimeMillis();
    ingestionTime.update(Math.max(0, now - envelope.getOrigin().getTimestamp().toEpochMilli()));
    if (envelope.getSentence() != null) { // otherwise unreadable
      eventTime.update(Math.max(0, now - EventTime.of(envelope)));
    }
  }

  /** Measures records before they are converted for a sink of another type. */
  static final class Measured<E, T> extends RichMapFunction<E, T> {
    private static final long serialVersionUID = 1L;

    private final MapFunction<E, T> part;
    private transient SinkLatency latency;

    /**
     * Creates the function.
     *
     * @param part converts a record for the sink
     */
    Measured(MapFunction<E, T> part) {
      this.part = part;
    }

    @Override
    public void open(OpenContext context) {
      latency = new SinkLatency(getRuntimeContext().getMetricGroup());
    }

    @Override
    public T map(E element) throws Exception {
      T mapped = part.map(element);
      latency.written(element);
      return mapped;
    }
  }
}
