package io.latimer.pipelines.flink;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.BatchMetrics;
import io.latimer.pipelines.DeadLetters;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Takes micro-batches apart: every record goes on with its own event time; those that have a
 * failure go to the side output {@link Records#DEAD_LETTERS}.
 *
 * <p>A flat map could not do this: it would give all records of a batch the batch's time.
 */
final class BatchScatter extends AbstractStreamOperator<Envelope>
    implements OneInputStreamOperator<Batch, Envelope> {
  private static final long serialVersionUID = 1L;

  /** Name of the stage in dead letters of records that no sink can take. */
  static final String STAGE = "sink";

  private final int maxBytes;

  private transient Counter deadLetters;
  private transient RecordCodec<Translation> codec;

  /**
   * Makes the operator.
   *
   * @param maxBytes most bytes that a translation may have with its key and headers; the largest
   *     integer where nothing limits it
   */
  BatchScatter(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public void open() throws Exception {
    super.open();
    deadLetters = getMetricGroup().counter(BatchMetrics.DEAD_LETTERS.id());
    codec = RecordCodec.of(Translation.class);
  }

  @Override
  public void processElement(StreamRecord<Batch> element) {
    for (Envelope worked : element.getValue().getEnvelopes()) {
      Envelope envelope = fitting(worked);
      StreamRecord<Envelope> record = new StreamRecord<>(envelope, EventTime.of(envelope));
      if (envelope.getFailure() == null) {
        output.collect(record);
      } else {
        deadLetters.inc();
        output.collect(Records.DEAD_LETTERS, record);
      }
    }
  }

  private Envelope fitting(Envelope envelope) {
    if (envelope.getFailure() != null
        || envelope.getTranslation() == null
        || maxBytes == Integer.MAX_VALUE) {
      return envelope;
    }
    long bytes = RecordSize.of(envelope, maxBytes, codec);
    if (bytes <= maxBytes) {
      return envelope;
    }
    return DeadLetters.refuse(
        envelope,
        STAGE,
        new RecordException(
            "the translation has "
                + bytes
                + " bytes with its source, key and headers, but a sink takes at most "
                + maxBytes
                + "; send shorter records, or raise the sink's property max.request.size and its"
                + " topic's max.message.bytes"));
  }
}
