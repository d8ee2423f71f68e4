package io.latimer.pipelines.flink.batch;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.batch.MicroBatcher.Fill;
import io.latimer.pipelines.batch.TokenEstimate;
import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageIndexVersion;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forms micro-batches from records.
 *
 * <p>It holds no records in state: before a checkpoint barrier and at the end of the input it emits
 * the records it holds, and the async operator after it keeps the batches in flight. A watermark
 * never overtakes a record: if a batch is open, the watermark waits for it, at most as long as a
 * batch may stay open, instead of closing it early. Watermarks and the idle status are emitted as
 * {@link BatchMark}s.
 *
 * <p>A batch that has reached the maximum wait stays open while the stages are busy, so that it
 * grows instead of waiting for them closed.
 */
public abstract class Gatherer extends AbstractStreamOperator<Batch> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(Gatherer.class);

  private final String group;
  private final MicroBatcher.Limits limits;

  private transient MicroBatcher<Envelope> batcher;
  private transient ScheduledFuture<?> timer;
  private transient long batches; // number of emitted batches; identifies the open one
  private transient Watermark heldWatermark;
  private transient long watermark; // the last one emitted
  private transient boolean idle;
  private transient GathererMetrics gathered;
  private transient MailboxExecutor mailbox;
  private transient ChainedStages stages;

  /** Whether the open batch has reached the maximum wait. Read by other threads. */
  private transient volatile boolean late;

  /**
   * Creates the operator.
   *
   * @param group the name of the stages after it
   */
  public Gatherer(String group, MicroBatcher.Limits limits) {
    this.group = group;
    this.limits = limits;
  }

  @Override
  public void open() throws Exception {
    super.open();
    batcher =
        new MicroBatcher<>(
            limits, TokenEstimate::of, getProcessingTimeService()::getCurrentProcessingTime);
    gathered = new GathererMetrics(getMetricGroup(), () -> batcher.size());
    watermark = Long.MIN_VALUE;
    mailbox =
        getContainingTask()
            .getMailboxExecutorFactory()
            .createExecutor(getOperatorConfig().getChainIndex());
    stages = ChainedStages.OPEN.get(ChainedStages.Key.of(getRuntimeContext(), group));
    if (stages != null) {
      stages.whenDone(this::done);
    }
  }

  /** Runs mails in the task's thread, between records. */
  protected final MailboxExecutor mailbox() {
    return mailbox;
  }

  /** The stages after it; null if they are not chained to it. */
  protected final ChainedStages stages() {
    return stages;
  }

  /** The limits that the job file sets. */
  protected final MicroBatcher.Limits limits() {
    return limits;
  }

  /** Changes the limits of later batches; no batch may be open. */
  protected final void setLimits(MicroBatcher.Limits limits) {
    batcher.setLimits(limits);
  }

  /** Adds a record to the open batch. */
  protected final void gather(Envelope record) throws Exception {
    for (MicroBatcher.Closed<Envelope> closed : batcher.add(record)) {
      emit(closed);
    }
    if (timer == null && !batcher.isEmpty()) {
      long batch = batches;
      timer =
          getProcessingTimeService()
              .registerTimer(batcher.deadline().getAsLong(), time -> onTime(batch));
    }
  }

  /** Forwards a watermark after the records before it. */
  protected final void pass(Watermark mark) throws Exception {
    if (mark.equals(Watermark.MAX_WATERMARK)) {
      flush(Fill.END);
    }
    if (batcher.isEmpty()) {
      emit(mark);
    } else {
      heldWatermark = mark;
    }
  }

  /** Forwards the idle status of the input. */
  protected final void pass(WatermarkStatus status) throws Exception {
    flush(Fill.WATERMARK);
    idle = status.isIdle();
    output.emitWatermark(new BatchMark(watermark, idle));
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
    flush(Fill.BARRIER);
    super.prepareSnapshotPreBarrier(checkpoint);
  }

  /** The index versions of the next batch; empty for those of the job file. */
  protected List<StageIndexVersion> references() {
    return List.of();
  }

  private void onTime(long batch) throws Exception {
    // The timer may have fired just before its batch was closed for another reason. Do not check
    // the clock: the timer has waited for the maximum time, and the clock may have been set back.
    if (batch == batches) {
      late = true; // set first: a thread that finishes a batch meanwhile must see it
      closeLate();
    }
  }

  /** Called by a stage thread when a batch is done. */
  private void done() {
    if (late) {
      try {
        mailbox.execute(this::closeLate, "close a batch that waits for the stages");
      } catch (RejectedExecutionException e) {
        LOG.debug("the task has ended", e);
      }
    }
  }

  private void closeLate() throws Exception {
    if (late && (stages == null || !stages.areBusy())) {
      emit(batcher.close(Fill.TIME));
    }
  }

  /** Closes the open batch, if there is one. */
  protected final void flush(Fill fill) throws Exception {
    if (!batcher.isEmpty()) {
      emit(batcher.close(fill));
    }
  }

  private void emit(MicroBatcher.Closed<Envelope> closed) throws Exception {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    late = false;
    batches++;
    long earliest = Long.MAX_VALUE;
    for (Envelope envelope : closed.records()) {
      earliest = Math.min(earliest, EventTime.of(envelope));
    }
    gathered.closed(closed);
    // may block until the async operator has capacity, so nothing of this batch may be held here
    output.collect(
        new StreamRecord<>(
            new Batch(closed.records(), Instant.ofEpochMilli(closed.openedAt()), references()),
            earliest));
    if (heldWatermark != null) {
      // all earlier records are in this batch or earlier ones
      Watermark mark = heldWatermark;
      heldWatermark = null;
      emit(mark);
    }
  }

  private void emit(Watermark mark) {
    watermark = mark.getTimestamp();
    output.emitWatermark(new BatchMark(watermark, idle));
  }
}
