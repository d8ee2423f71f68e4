package io.latimer.pipelines.flink.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.schemas.Batch;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class BatchTypeTest {
  private final TypeSerializer<Batch> serializer =
      Records.BATCH.createSerializer(new SerializerConfigImpl());
  private final TypeSerializer<Batch> plain =
      new AvroTypeInfo<>(Batch.class).createSerializer(new SerializerConfigImpl());
  private final Batch batch =
      new Batch(
          List.of(Envelopes.translated("good", 1), Envelopes.refused("bad", 2)),
          Instant.ofEpochMilli(3),
          List.of());

  @Test
  void noCopiesAreMade() throws Exception {
    assertThat(serializer.copy(batch)).isSameAs(batch);
    assertThat(serializer.copy(batch, new Batch())).isSameAs(batch);
    assertThat(serializer.duplicate().copy(batch)).isSameAs(batch);
    // the way to the tasks
    assertThat(InstantiationUtil.clone(serializer).copy(batch)).isSameAs(batch);
    assertThat(serializer.duplicate()).isEqualTo(serializer).hasSameHashCodeAs(serializer);
  }

  @Test
  void checkpointsAreThoseOfAvroBothWays() throws Exception {
    assertThat(read(plain, write(serializer))).isEqualTo(batch);
    assertThat(read(serializer, write(plain))).isEqualTo(batch);
    TypeSerializerSnapshot<Batch> snapshot = serializer.snapshotConfiguration();
    assertThat(snapshot).hasSameClassAs(plain.snapshotConfiguration());
    assertThat(snapshot.restoreSerializer()).isExactlyInstanceOf(AvroSerializer.class);
    assertThat(
            snapshot.resolveSchemaCompatibility(plain.snapshotConfiguration()).isCompatibleAsIs())
        .isTrue();
    assertThat(
            plain.snapshotConfiguration().resolveSchemaCompatibility(snapshot).isCompatibleAsIs())
        .isTrue();
  }

  private byte[] write(TypeSerializer<Batch> with) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    with.serialize(batch, out);
    return out.getCopyOfBuffer();
  }

  private static Batch read(TypeSerializer<Batch> with, byte[] bytes) throws IOException {
    return with.deserialize(new DataInputDeserializer(bytes));
  }
}
