package io.latimer.pipelines.flink;

import io.latimer.pipelines.metrics.BatchMetrics;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Splits micro-batches into records, each with its own event time; those with a failure go to the
 * side output {@link Records#DEAD_LETTERS}.
 *
 * <p>A flat map would give all records of a batch the batch's time.
 */
final class BatchScatter extends AbstractStreamOperator<Envelope>
    implements OneInputStreamOperator<Batch, Envelope> {
  private static final long serialVersionUID = 1L;

  private final SinkLimit limit;

  private transient Counter deadLetters;

  /**
   * Makes the operator.
   *
   * @param limit maximum length of records
   */
  BatchScatter(SinkLimit limit) {
    this.limit = limit;
  }

  @Override
  public void open() throws Exception {
    super.open();
    deadLetters = getMetricGroup().counter(BatchMetrics.DEAD_LETTERS.id());
  }

  @Override
  public void processElement(StreamRecord<Batch> element) {
    for (Envelope worked : element.getValue().getEnvelopes()) {
      Envelope envelope = limit.check(worked);
      StreamRecord<Envelope> record = new StreamRecord<>(envelope, EventTime.of(envelope));
      if (envelope.getFailure() == null) {
        output.collect(record);
      } else {
        deadLetters.inc();
        output.collect(Records.DEAD_LETTERS, record);
      }
    }
  }
}
