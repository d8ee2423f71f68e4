package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class ProducedRecordCoderTest {
  @Test
  void nullsStayNull() throws Exception {
    ProducerRecord<byte[], byte[]> empty = new ProducerRecord<>("t", null);
    empty.headers().add("none", null).add("empty", new byte[0]).add("none", new byte[] {1});
    assertSame(empty);
    ProducerRecord<byte[], byte[]> full =
        new ProducerRecord<>("t", 3, 4L, new byte[] {5}, new byte[] {6});
    assertSame(full);
    assertThat(SerializableUtils.clone(ProducedRecordCoder.INSTANCE))
        .isSameAs(ProducedRecordCoder.INSTANCE);
  }

  private static void assertSame(ProducerRecord<byte[], byte[]> record) throws Exception {
    byte[] bytes = CoderUtils.encodeToByteArray(ProducedRecordCoder.INSTANCE, record);
    ProducerRecord<byte[], byte[]> decoded =
        CoderUtils.decodeFromByteArray(ProducedRecordCoder.INSTANCE, bytes);
    assertThat(decoded).usingRecursiveComparison().isEqualTo(record);
    assertThat(decoded.headers().toArray()).isEqualTo(record.headers().toArray());
  }
}
