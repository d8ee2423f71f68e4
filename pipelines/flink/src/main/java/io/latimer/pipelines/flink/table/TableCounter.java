package io.latimer.pipelines.flink.table;

import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.task.DeadLetterMetrics;
import io.latimer.pipelines.flink.task.GpuGauges;
import io.latimer.pipelines.flink.task.Labels;
import io.latimer.pipelines.flink.task.SubtaskDevice;
import io.latimer.pipelines.metrics.TableMetrics;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.table.TablePanes;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Forwards records and counts them. Counts go to the side output {@link Records#PARTS}, failed
 * records to {@link Records#DEAD_LETTERS}. Tombstones are forwarded uncounted if the sinks take
 * them.
 *
 * <p>It is stateless: before a checkpoint barrier and at the end of the input it emits its counts,
 * and the operator after it merges them into its state. The counts of a pane are emitted before the
 * watermark that ends it, so collecting them here makes none late. All counts are emitted before
 * the stream becomes idle, because watermarks then advance without it.
 */
public final class TableCounter extends AbstractStreamOperator<Envelope>
    implements OneInputStreamOperator<Envelope, Envelope>, BoundedOneInput, TablePanes.Output {
  private static final long serialVersionUID = 1L;

  private final TableStage<?> stage;
  private final SinkValues values;
  private final boolean forwardsTombstones;

  private transient SubtaskDevice device;
  private transient TablePanes panes;
  private transient boolean timeEnded;
  private transient Counter counted;
  private transient Counter parts;
  private transient Histogram countSize;
  private transient Histogram countMillis;
  private transient Histogram partMillis;
  private transient DeadLetterMetrics deadLetters;

  /** Creates the counter of a table stage. */
  public TableCounter(TableStage<?> stage, SinkValues values, boolean forwardsTombstones) {
    this.stage = stage;
    this.values = values;
    this.forwardsTombstones = forwardsTombstones;
  }

  @Override
  public void open() throws Exception {
    super.open();
    counted = getMetricGroup().counter(TableMetrics.COUNTED.id());
    parts = getMetricGroup().counter(TableMetrics.PARTS.id());
    countSize = Labels.histogram(getMetricGroup(), TableMetrics.COUNT_SIZE);
    countMillis = Labels.histogram(getMetricGroup(), TableMetrics.COUNT_TIME);
    partMillis = Labels.histogram(getMetricGroup(), TableMetrics.PART_TIME);
    deadLetters =
        new DeadLetterMetrics(
            getMetricGroup(), List.of(DeadLetterReason.READ, stage.name(), DeadLetterReason.SINK));
    device = SubtaskDevice.of(stage, getRuntimeContext());
    GpuGauges.addIndex(getMetricGroup(), device::device);
    GpuGauges.addMemory(getMetricGroup(), stage.name(), device::device);
    stage.open(device.device(), ResidentIndexes.process());
    panes = new TablePanes(stage, this);
    Gauge<Integer> open = panes::size;
    getMetricGroup().gauge(TableMetrics.OPEN_PANES.id(), open);
  }

  @Override
  public void processElement(StreamRecord<Envelope> element) {
    Envelope envelope = values.encode(element.getValue());
    if (forwardsTombstones && Envelopes.isTombstone(envelope)) {
      output.collect(element);
      return;
    }
    if (envelope.getFailure() != null) {
      refused(envelope);
      return;
    }
    output.collect(element.replace(envelope));
    panes.add(envelope, EventTime.of(envelope));
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    panes.take(mark.getTimestamp());
    timeEnded = mark.getTimestamp() == Watermark.MAX_WATERMARK.getTimestamp();
    super.processWatermark(mark);
  }

  @Override
  public void processWatermarkStatus(WatermarkStatus status) throws Exception {
    panes.takeAll();
    super.processWatermarkStatus(status);
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
    panes.takeAll();
    super.prepareSnapshotPreBarrier(checkpoint);
  }

  /**
   * Emits the counts and ends event time: if an input is idle when it ends, Flink drops its last
   * watermark, and the tables of the last windows would never be made.
   */
  @Override
  public void endInput() throws Exception {
    panes.takeAll();
    if (!timeEnded) {
      super.processWatermarkStatus(WatermarkStatus.ACTIVE);
      super.processWatermark(Watermark.MAX_WATERMARK);
    }
  }

  @Override
  public void counted(int records, long nanos) {
    countSize.update(records);
    countMillis.update(TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  @Override
  public void part(TablePart part, long nanos) {
    counted.inc(part.getRecords());
    parts.inc();
    partMillis.update(TimeUnit.NANOSECONDS.toMillis(nanos));
    output.collect(Records.PARTS, new StreamRecord<>(part, part.getPane()));
  }

  @Override
  public void refused(Envelope record) {
    deadLetters.count(record.getFailure());
    output.collect(Records.DEAD_LETTERS, new StreamRecord<>(record, EventTime.of(record)));
  }

  @Override
  public void close() throws Exception {
    if (panes != null) {
      panes.close();
    }
    stage.close();
    if (device != null) {
      device.close();
    }
    super.close();
  }
}
