package io.latimer.pipelines.flink.record;

import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.Envelope;
import java.util.EnumMap;
import java.util.Map;

/**
 * A record with its values encoded for the job's Kafka sinks. The threads of the stages encode
 * records, because a task has many of them but only one that writes. If the record leaves the task,
 * these values are lost and the sinks encode it again.
 */
public final class EncodedEnvelope extends Envelope {
  private static final long serialVersionUID = 1L;

  private final transient Map<Format, byte[]> values;

  private EncodedEnvelope(Envelope envelope, Map<Format, byte[]> values) {
    this.values = values;
    int fields = getSchema().getFields().size();
    for (int i = 0; i < fields; i++) {
      put(i, envelope.get(i));
    }
  }

  /**
   * Adds an encoded value to a record.
   *
   * @param value encoded in this format; must not change any more
   */
  static EncodedEnvelope of(Envelope envelope, Format format, byte[] value) {
    Map<Format, byte[]> values = new EnumMap<>(Format.class);
    if (envelope instanceof EncodedEnvelope encoded) {
      values.putAll(encoded.values);
    }
    values.put(format, value);
    return new EncodedEnvelope(envelope, values);
  }

  /** The value encoded in a format, or null if it is not encoded yet. */
  public static byte[] value(Envelope envelope, Format format) {
    return envelope instanceof EncodedEnvelope encoded ? encoded.values.get(format) : null;
  }
}
