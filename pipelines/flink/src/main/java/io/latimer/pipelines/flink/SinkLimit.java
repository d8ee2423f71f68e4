package io.latimer.pipelines.flink;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.Envelope;
import java.io.Serializable;
import java.util.List;

/**
 * How long the records may be that the sinks of a job take. What is longer has to be a dead letter:
 * it would fail the job, at every restart again.
 */
final class SinkLimit implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Name of the stage in dead letters of records that no sink can take. */
  static final String STAGE = "sink";

  /** For records that do not go to sinks yet. */
  static final SinkLimit NONE = new SinkLimit(Integer.MAX_VALUE);

  private final int maxBytes;
  private transient RecordSize size;

  /**
   * Makes a limit.
   *
   * @param maxBytes most bytes that a record may have with its key and headers; the largest integer
   *     where nothing limits it
   */
  SinkLimit(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** What every one of these sinks can take. */
  static SinkLimit of(List<SinkConfig> sinks) {
    int maxBytes = Integer.MAX_VALUE;
    for (SinkConfig sink : sinks) {
      if (sink instanceof SinkConfig.Kafka kafka) {
        maxBytes = Math.min(maxBytes, RecordSize.limit(kafka));
      }
    }
    return new SinkLimit(maxBytes);
  }

  /** The record, with a failure if it is too long. */
  Envelope check(Envelope envelope) {
    if (envelope.getFailure() != null || maxBytes == Integer.MAX_VALUE) {
      return envelope;
    }
    if (size == null) {
      size = new RecordSize();
    }
    long bytes = size.of(envelope, maxBytes);
    if (bytes <= maxBytes) {
      return envelope;
    }
    return DeadLetters.refuse(
        envelope,
        STAGE,
        new RecordException(
            "the "
                + (envelope.getTranslation() == null ? "sentence" : "translation")
                + " has "
                + bytes
                + " bytes with its source, key and headers, but a sink takes at most "
                + maxBytes
                + "; send shorter records, or raise the sink's property max.request.size and its"
                + " topic's max.message.bytes"));
  }
}
