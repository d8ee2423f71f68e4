package io.latimer.pipelines.flink;

import io.latimer.pipelines.metrics.SinkMetrics;
import io.latimer.schemas.Envelope;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;

/**
 * How long records took to a sink. Other elements, such as tables, are not measured, and their
 * sinks do not have the metrics.
 */
final class SinkLatency {
  private final MetricGroup group;
  private Histogram eventTime;
  private Histogram ingestionTime;

  /** Registers the metrics with the first record. */
  SinkLatency(MetricGroup group) {
    this.group = group;
  }

  /** An element is written. */
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
    if (envelope.getSentence() != null) { // else it could not be read
      eventTime.update(Math.max(0, now - EventTime.of(envelope)));
    }
  }

  /** Measures what goes to a sink that takes no records as they are. */
  static final class Measured<E, T> extends RichMapFunction<E, T> {
    private static final long serialVersionUID = 1L;

    private final MapFunction<E, T> part;
    private transient SinkLatency latency;

    /**
     * Makes the function.
     *
     * @param part what the sink takes of a record
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
