package io.latimer.pipelines.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.record.RecordSize;
import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.AbstractRecords;
import org.apache.kafka.common.record.RecordBatch;
import org.junit.jupiter.api.Test;

/** The sizes by which records are refused or cut, against those that Kafka's producer checks. */
class RecordSizeTest {
  /** What {@link RecordSize#limit} leaves for Kafka. */
  private static final int OVERHEAD = 512;

  private static int ofKafka(ProducerRecord<byte[], byte[]> record) {
    return AbstractRecords.estimateSizeInBytesUpperBound(
        RecordBatch.CURRENT_MAGIC_VALUE,
        Compression.NONE.type(),
        record.key(),
        record.value(),
        record.headers().toArray());
  }

  private static Envelope envelope(int seed) {
    RandomRecords records = seed % 2 == 0 ? RandomRecords.full(seed) : new RandomRecords(seed);
    Envelope envelope = (Envelope) records.record(Envelope.getClassSchema());
    envelope.setSentence((Sentence) records.record(Sentence.getClassSchema()));
    if (seed % 3 > 0) {
      envelope.setTranslation((Translation) records.record(Translation.getClassSchema()));
    }
    return envelope;
  }

  @Test
  void noRecordIsLongerThanItsSize() throws Exception {
    for (Format format : Format.values()) {
      RecordWriter writer = new RecordWriter("topic", format);
      writer.open(null, null);
      for (int seed = 0; seed < 160; seed++) {
        Envelope envelope = envelope(seed);
        ProducerRecord<byte[], byte[]> record = writer.serialize(envelope, null, null);
        assertThat(RecordSize.beside(envelope) + record.value().length + OVERHEAD)
            .as("%s, seed %d", format, seed)
            .isGreaterThanOrEqualTo(ofKafka(record));
      }
    }
  }

  @Test
  void headersAreMeasuredInBytesOfTheirUtf8() throws Exception {
    for (String key : List.of("a", "\u00fc", "\u20ac", "\ud83d\udc08")) {
      Envelope envelope = envelope(1);
      envelope.getSentence().setHeaders(List.of(new Header(key.repeat(5_000), null)));
      RecordWriter writer = new RecordWriter("topic", Format.TEXT);
      writer.open(null, null);
      ProducerRecord<byte[], byte[]> record = writer.serialize(envelope, null, null);
      int real = ofKafka(record);
      assertThat(RecordSize.beside(envelope) + record.value().length + OVERHEAD)
          .isBetween((long) real, real + OVERHEAD + 100L);
    }
  }

  @Test
  void noDeadLetterIsLongerThanItsTopicTakes() throws Exception {
    for (int seed = 0; seed < 160; seed++) {
      RandomRecords records = seed % 2 == 0 ? RandomRecords.full(seed) : new RandomRecords(seed);
      Envelope envelope = envelope(seed);
      DeadLetter letter = (DeadLetter) records.record(DeadLetter.getClassSchema());
      // the parts that grow, in every combination
      if ((seed & 1) > 0) {
        letter.setOriginal(ByteBuffer.allocate(30_000));
      }
      if ((seed & 2) > 0) {
        letter.setKey(ByteBuffer.allocate(30_000));
      }
      if ((seed & 4) > 0) {
        letter.setHeaders(List.of(new Header("\u20ac".repeat(9_000), ByteBuffer.allocate(9_000))));
      }
      if ((seed & 8) > 0) {
        letter.setErrorMessage("\u20ac".repeat(20_000));
      }
      envelope.setFailure(letter);
      for (int maxBytes : new int[] {4_000, 20_000, 31_000, 61_000, 91_000}) {
        DeadLetterWriter writer = new DeadLetterWriter("dead", maxBytes);
        writer.open(null, null);
        assertThat(ofKafka(writer.serialize(envelope, null, null)))
            .as("seed %d, %d bytes", seed, maxBytes)
            .isLessThanOrEqualTo(maxBytes + OVERHEAD);
      }
    }
  }
}
