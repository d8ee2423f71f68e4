package io.latimer.pipelines.flink;

import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.RecordCodec;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writes dead letters to a topic, with the key, headers and event time of the refused record.
 *
 * <p>A letter that is longer than its producer may send is cut: first the copy of the headers
 * beside it is left out, then the end of the original bytes, and the letter says so. Its origin
 * tells where the record can still be read whole.
 */
final class DeadLetterWriter implements KafkaRecordSerializationSchema<Envelope> {
  private static final long serialVersionUID = 1L;

  /** What the note on the cut and longer lengths may add. */
  private static final int NOTE = 256;

  private final String topic;
  private final int maxBytes;
  private transient RecordCodec<DeadLetter> codec;

  DeadLetterWriter(String topic, int maxBytes) {
    this.topic = topic;
    this.maxBytes = maxBytes;
  }

  @Override
  public void open(
      SerializationSchema.InitializationContext context, KafkaSinkContext sinkContext) {
    codec = RecordCodec.of(DeadLetter.class);
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Envelope envelope, KafkaSinkContext context, Long timestamp) {
    DeadLetter letter = envelope.getFailure();
    List<Header> headers = letter.getHeaders();
    byte[] value = codec.encode(letter);
    int key = RecordSize.of(letter.getKey());
    if (key + value.length + RecordSize.headers(headers, 1) > maxBytes) {
      headers = List.of();
      long excess = (long) key + value.length - maxBytes;
      if (excess > 0) {
        value = codec.encode(cut(letter, excess));
      }
    }
    return KafkaBytes.record(topic, EventTime.of(envelope), letter.getKey(), value, headers);
  }

  private static DeadLetter cut(DeadLetter letter, long excess) {
    byte[] original = KafkaBytes.array(letter.getOriginal());
    int kept = (int) Math.max(0, original.length - excess - NOTE);
    return DeadLetter.newBuilder(letter)
        .setOriginal(ByteBuffer.wrap(original, 0, kept))
        .setErrorMessage(
            letter.getErrorMessage()
                + " (the first "
                + kept
                + " of the record's "
                + original.length
                + " bytes are kept here: a dead letter has to fit into its topic)")
        .build();
  }
}
