package io.latimer.pipelines.beam;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.NullableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Encodes Kafka records that are to be produced. Key, value, time and the values of headers may be
 * null: KafkaIO's own coder fails for a header without a value, which any producer may send.
 */
final class ProducedRecordCoder extends AtomicCoder<ProducerRecord<byte[], byte[]>> {
  static final ProducedRecordCoder INSTANCE = new ProducedRecordCoder();

  private static final long serialVersionUID = 1L;
  private static final StringUtf8Coder TEXT = StringUtf8Coder.of();
  private static final VarIntCoder COUNT = VarIntCoder.of();
  private static final Coder<Integer> PARTITION = NullableCoder.of(VarIntCoder.of());
  private static final Coder<Long> TIME = NullableCoder.of(VarLongCoder.of());
  private static final Coder<byte[]> BYTES = NullableCoder.of(ByteArrayCoder.of());

  private ProducedRecordCoder() {}

  @Override
  public void encode(ProducerRecord<byte[], byte[]> record, OutputStream out) throws IOException {
    TEXT.encode(record.topic(), out);
    PARTITION.encode(record.partition(), out);
    TIME.encode(record.timestamp(), out);
    BYTES.encode(record.key(), out);
    BYTES.encode(record.value(), out);
    Header[] headers = record.headers().toArray();
    COUNT.encode(headers.length, out);
    for (Header header : headers) {
      TEXT.encode(header.key(), out);
      BYTES.encode(header.value(), out);
    }
  }

  @Override
  public ProducerRecord<byte[], byte[]> decode(InputStream in) throws IOException {
    String topic = TEXT.decode(in);
    Integer partition = PARTITION.decode(in);
    Long time = TIME.decode(in);
    byte[] key = BYTES.decode(in);
    byte[] value = BYTES.decode(in);
    RecordHeaders headers = new RecordHeaders();
    for (int left = COUNT.decode(in); left > 0; left--) {
      headers.add(TEXT.decode(in), BYTES.decode(in));
    }
    return new ProducerRecord<>(topic, partition, time, key, value, headers);
  }

  private Object readResolve() {
    return INSTANCE;
  }
}
