package io.latimer.pipelines.flink.batch;

import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * A watermark that also tells whether the input is idle after it, on its way from {@link Gatherer}
 * through the async operator to {@link BatchScatter}.
 *
 * <p>The async operator keeps watermarks in order with the batches in flight, but forwards a change
 * of the idle status at once. An input that became idle behind a slow batch would then let event
 * time advance without the batch's records, which would be late for their windows. So between these
 * two operators the status is part of the watermark.
 *
 * <p>A checkpoint stores it as a plain {@link Watermark}, which the scatter operator drops: after a
 * restore, batches and partitions may be in other subtasks, and an old watermark would make their
 * records late. The source sends new ones. The operators are chained, so that the mark itself is
 * passed on, not serialized as a plain watermark.
 */
final class BatchMark extends Watermark {
  private final boolean idle;

  /**
   * Creates a mark.
   *
   * @param timestamp the watermark; {@link Long#MIN_VALUE} if there was none yet
   * @param idle whether the input is idle after it
   */
  BatchMark(long timestamp, boolean idle) {
    super(timestamp);
    this.idle = idle;
  }

  WatermarkStatus status() {
    return idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BatchMark mark && timestamp == mark.timestamp && idle == mark.idle;
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + Boolean.hashCode(idle);
  }

  @Override
  public String toString() {
    return "BatchMark @ " + getTimestamp() + (idle ? " idle" : "");
  }
}
