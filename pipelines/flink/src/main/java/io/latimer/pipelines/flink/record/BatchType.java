package io.latimer.pipelines.flink.record;

import io.latimer.schemas.Batch;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;

/**
 * The Avro type of micro-batches. It never copies them, because batches and their records do not
 * change once emitted. With object reuse, Flink's async operator copies every element that it keeps
 * for its state, and Avro records field by field.
 */
final class BatchType extends AvroTypeInfo<Batch> {
  private static final long serialVersionUID = 1L;

  BatchType() {
    super(Batch.class);
  }

  @Override
  public TypeSerializer<Batch> createSerializer(SerializerConfig config) {
    return new BatchSerializer();
  }

  /** Checkpoints name only its superclass, so they can be read without this class. */
  private static final class BatchSerializer extends AvroSerializer<Batch> {
    private static final long serialVersionUID = 1L;

    BatchSerializer() {
      super(Batch.class);
    }

    @Override
    public Batch copy(Batch from) {
      return from;
    }

    @Override
    public Batch copy(Batch from, Batch reuse) {
      return from;
    }

    @Override
    public TypeSerializer<Batch> duplicate() {
      return new BatchSerializer();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof BatchSerializer;
    }

    @Override
    public int hashCode() {
      return BatchSerializer.class.hashCode();
    }
  }
}
