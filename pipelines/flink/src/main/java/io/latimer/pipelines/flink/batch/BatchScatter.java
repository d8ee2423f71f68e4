package io.latimer.pipelines.flink.batch;

import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.task.DeadLetterMetrics;
import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Splits micro-batches into records, each with its own event time. Failed records go to the side
 * output {@link Records#DEAD_LETTERS}, except tombstones, which go on to the sinks if these take
 * them.
 *
 * <p>A flat map would give all records of a batch the batch's time. It also unpacks {@link
 * BatchMark}s, and drops plain watermarks, which come from restored state.
 */
public final class BatchScatter extends AbstractStreamOperator<Envelope>
    implements OneInputStreamOperator<Batch, Envelope> {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> stages;
  private final boolean forwardsTombstones;

  private transient DeadLetterMetrics deadLetters;
  private transient volatile long watermark;
  private transient WatermarkStatus status;

  /**
   * Makes the operator.
   *
   * @param stages that may have refused records
   * @param forwardsTombstones whether the sinks take tombstones; restored batches may contain some
   *     even if they do not
   */
  public BatchScatter(List<String> stages, boolean forwardsTombstones) {
    this.stages = new ArrayList<>(stages);
    this.forwardsTombstones = forwardsTombstones;
  }

  @Override
  public void open() throws Exception {
    super.open();
    deadLetters = new DeadLetterMetrics(getMetricGroup(), stages);
    Gauge<Long> lag = this::lag;
    getMetricGroup().gauge(BatchMetrics.WATERMARK_LAG.id(), lag);
    watermark = Long.MIN_VALUE;
    status = WatermarkStatus.ACTIVE;
  }

  @Override
  public void processElement(StreamRecord<Batch> element) {
    for (Envelope envelope : element.getValue().getEnvelopes()) {
      StreamRecord<Envelope> record = new StreamRecord<>(envelope, EventTime.of(envelope));
      if (envelope.getFailure() == null
          || (forwardsTombstones && Envelopes.isTombstone(envelope))) {
        output.collect(record);
      } else {
        deadLetters.count(envelope.getFailure());
        output.collect(Records.DEAD_LETTERS, record);
      }
    }
  }

  @Override
  public void processWatermark(Watermark plain) throws Exception {
    if (!(plain instanceof BatchMark mark)) {
      return;
    }
    if (!mark.status().isIdle()) {
      announce(mark);
    }
    if (mark.getTimestamp() > watermark) {
      watermark = mark.getTimestamp();
      super.processWatermark(new Watermark(watermark));
    }
    if (mark.status().isIdle()) {
      announce(mark);
    }
  }

  /** Milliseconds from the last watermark to now; -1 if there is none. */
  private long lag() {
    long mark = watermark;
    boolean none = mark == Long.MIN_VALUE || mark == Watermark.MAX_WATERMARK.getTimestamp();
    return none ? -1 : Math.max(0, System.currentTimeMillis() - mark);
  }

  private void announce(BatchMark mark) throws Exception {
    if (!mark.status().equals(status)) {
      status = mark.status();
      super.processWatermarkStatus(status);
    }
  }
}
