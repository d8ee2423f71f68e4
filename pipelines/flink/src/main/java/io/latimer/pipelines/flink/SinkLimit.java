package io.latimer.pipelines.flink;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.Envelope;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The maximum length of records for a job's sinks. A longer one must become a dead letter, because
 * it would fail the job at every restart.
 */
final class SinkLimit implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Stage name in dead letters of records that are too long for a sink. */
  static final String STAGE = DeadLetterReason.SINK;

  /** No limit, for records that do not go to sinks yet. */
  static final SinkLimit NONE = new SinkLimit(List.of());

  /**
   * The limit of a sink.
   *
   * @param format of its values
   * @param maxBytes most bytes that a record may have with its key and headers
   */
  record Limit(Format format, int maxBytes) implements Serializable {}

  private final List<Limit> limits;
  private transient List<RecordSize> sizes;

  SinkLimit(List<Limit> limits) {
    this.limits = limits;
  }

  /** What every one of these sinks can take. */
  static SinkLimit of(List<SinkConfig> sinks) {
    List<Limit> limits = new ArrayList<>();
    for (SinkConfig sink : sinks) {
      if (sink instanceof SinkConfig.Kafka kafka) {
        limits.add(new Limit(kafka.format(), RecordSize.limit(kafka)));
      }
    }
    return new SinkLimit(limits);
  }

  /** The record, with a failure if it is too long for a sink. */
  Envelope check(Envelope envelope) {
    if (envelope.getFailure() != null) {
      return envelope;
    }
    if (sizes == null) {
      sizes = limits.stream().map(limit -> new RecordSize(limit.format())).toList();
    }
    for (int i = 0; i < sizes.size(); i++) {
      int maxBytes = limits.get(i).maxBytes();
      long bytes = sizes.get(i).of(envelope, maxBytes);
      if (bytes > maxBytes) {
        return refuse(envelope, bytes, maxBytes);
      }
    }
    return envelope;
  }

  private static Envelope refuse(Envelope envelope, long bytes, int maxBytes) {
    return DeadLetters.refuse(
        envelope,
        STAGE,
        new RecordException(
            "the "
                + (envelope.getTranslation() == null ? "sentence" : "translation")
                + " has "
                + bytes
                + " bytes with its source, key and headers, but a sink's maximum is "
                + maxBytes
                + "; send shorter records, or raise the sink's property max.request.size and its"
                + " topic's max.message.bytes"));
  }
}
