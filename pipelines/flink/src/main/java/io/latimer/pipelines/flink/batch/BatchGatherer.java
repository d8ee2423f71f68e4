package io.latimer.pipelines.flink.batch;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** Forms micro-batches for stages whose indexes do not change. It is stateless. */
public final class BatchGatherer extends Gatherer
    implements OneInputStreamOperator<Envelope, Batch>, BoundedOneInput {
  private static final long serialVersionUID = 1L;

  /** Creates the gatherer of a group's batches. */
  public BatchGatherer(String group, MicroBatcher.Limits limits) {
    super(group, limits);
  }

  @Override
  public void processElement(StreamRecord<Envelope> element) throws Exception {
    gather(element.getValue());
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    pass(mark);
  }

  @Override
  public void processWatermarkStatus(WatermarkStatus status) throws Exception {
    pass(status);
  }

  @Override
  public void endInput() throws Exception {
    flush(MicroBatcher.Fill.END);
  }
}
