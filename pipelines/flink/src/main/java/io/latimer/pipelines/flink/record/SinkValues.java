package io.latimer.pipelines.flink.record;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.Envelope;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes records for a job's Kafka sinks. A record that is too long for a sink becomes a dead
 * letter, because it would fail the job at every restart.
 */
public final class SinkValues implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Stage name in dead letters of records that are too long for a sink. */
  static final String STAGE = DeadLetterReason.SINK;

  /** Encodes nothing, for records that do not go to sinks yet. */
  public static final SinkValues NONE = new SinkValues(List.of());

  /**
   * The limit of a sink.
   *
   * @param format of its values
   * @param maxBytes maximum size of a record with its key and headers
   */
  public record Limit(Format format, int maxBytes) implements Serializable {}

  private final List<Limit> limits;

  /** Encoders of the limits' formats; made by the first thread that needs them. */
  private transient volatile List<RecordBytes> encoders;

  /** Creates the check of records against the limits of sinks. */
  public SinkValues(List<Limit> limits) {
    this.limits = limits;
  }

  /** Creates the encoder for those of the sinks that write to Kafka. */
  public static SinkValues of(List<SinkConfig> sinks) {
    List<Limit> limits = new ArrayList<>();
    for (SinkConfig sink : sinks) {
      if (sink instanceof SinkConfig.Kafka kafka) {
        limits.add(new Limit(kafka.format(), RecordSize.limit(kafka)));
      }
    }
    return new SinkValues(limits);
  }

  /**
   * Returns the record with its encoded values, or with a failure if it is too long for a sink.
   * Several threads may call this.
   */
  public Envelope encode(Envelope envelope) {
    if (Envelopes.isTombstone(envelope)) {
      return checked(envelope);
    }
    if (limits.isEmpty() || envelope.getFailure() != null) {
      return envelope;
    }
    List<RecordBytes> encoders = encoders();
    long beside = RecordSize.beside(envelope);
    Envelope encoded = envelope;
    for (int i = 0; i < limits.size(); i++) {
      Limit limit = limits.get(i);
      byte[] value;
      try {
        value = encoders.get(i).of(encoded);
      } catch (IllegalArgumentException e) {
        return DeadLetters.refuse(envelope, STAGE, new RecordException(e.getMessage()));
      }
      if (beside + value.length > limit.maxBytes()) {
        String what = envelope.getTranslation() == null ? "sentence" : "translation";
        return refuse(envelope, what, beside + value.length, limit.maxBytes());
      }
      if (EncodedEnvelope.value(encoded, limit.format()) == null) {
        encoded = EncodedEnvelope.of(encoded, limit.format(), value);
      }
    }
    return encoded;
  }

  /** Checks a tombstone, whose key and headers may be too long. */
  private Envelope checked(Envelope tombstone) {
    long beside = RecordSize.beside(tombstone);
    for (Limit limit : limits) {
      if (beside > limit.maxBytes()) {
        return refuse(tombstone, "record without a value", beside, limit.maxBytes());
      }
    }
    return tombstone;
  }

  private List<RecordBytes> encoders() {
    if (encoders == null) {
      encoders = limits.stream().map(limit -> new RecordBytes(limit.format())).toList();
    }
    return encoders;
  }

  private static Envelope refuse(Envelope envelope, String what, long bytes, int maxBytes) {
    return DeadLetters.refuse(
        envelope,
        STAGE,
        new RecordException(
            "the "
                + what
                + " has "
                + bytes
                + " bytes with its source, key and headers, but a sink's maximum is "
                + maxBytes
                + "; send shorter records, or raise the sink's property max.request.size and its"
                + " topic's max.message.bytes"));
  }
}
