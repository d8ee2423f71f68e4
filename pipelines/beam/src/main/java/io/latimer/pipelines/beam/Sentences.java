package io.latimer.pipelines.beam;

import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.io.FileIO;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptor;

/**
 * Creates records for the stages. Unreadable input becomes a record with a failure, which the first
 * stage outputs as one of its failures.
 */
public final class Sentences {
  /** Maximum lead of an event time over its source's timestamp, as in jobs by default. */
  static final Duration MAX_AHEAD = Duration.ofHours(1);

  private static final String LIST = "list";

  private Sentences() {}

  /**
   * Makes records from texts; their event times are those of the elements, or the current time if
   * elements have none.
   *
   * @param language of the texts as a BCP 47 tag; may be empty
   */
  public static PTransform<PCollection<? extends String>, PCollection<Envelope>> fromText(
      String language) {
    return ParDo.of(
        new TextFn(new SentenceReader(input(InputConfig.Encoding.TEXT, language), MAX_AHEAD)));
  }

  /** Makes records from sentences. */
  public static PTransform<PCollection<? extends Sentence>, PCollection<Envelope>> fromSentences() {
    return MapElements.into(TypeDescriptor.of(Envelope.class))
        .via((Sentence sentence) -> record(sentence));
  }

  /**
   * Makes records from Kafka records with their keys and headers: sentences or translations in Avro
   * (single-object encoding), or texts.
   *
   * @param input how to read their bytes
   */
  public static PTransform<
          PCollection<? extends KafkaRecord<byte[], byte[]>>, PCollection<Envelope>>
      fromKafka(InputConfig input) {
    SentenceReader reader = new SentenceReader(input, MAX_AHEAD);
    return MapElements.into(TypeDescriptor.of(Envelope.class))
        .via((KafkaRecord<byte[], byte[]> record) -> of(reader, record));
  }

  /**
   * Makes records from files: of each line of a text file, and of each sentence or translation in
   * an Avro container file. Their origin says which line it was, from 0.
   *
   * @param input how to read the lines
   */
  public static PTransform<PCollection<? extends FileIO.ReadableFile>, PCollection<Envelope>>
      fromFiles(InputConfig input) {
    return ParDo.of(new FileFn(new SentenceReader(input, MAX_AHEAD)));
  }

  /** A record of a sentence that was not read from a source. */
  public static Envelope record(Sentence sentence) {
    return Envelope.newBuilder()
        .setSentence(sentence)
        .setOrigin(new SourcePosition(LIST, -1, -1L, sentence.getEventTime()))
        .setOriginal(ByteBuffer.wrap(sentence.getText().getBytes(StandardCharsets.UTF_8)))
        .build();
  }

  /** Input settings with an encoding and a language, and the defaults of jobs otherwise. */
  static InputConfig input(InputConfig.Encoding encoding, String language) {
    InputConfig defaults = InputConfig.DEFAULTS;
    return new InputConfig(encoding, defaults.feed(), language, defaults.maxRecordBytes());
  }

  /** Decodes a Kafka record. */
  static Envelope of(SentenceReader reader, KafkaRecord<byte[], byte[]> record) {
    List<Header> headers = new ArrayList<>();
    if (record.getHeaders() != null) {
      for (org.apache.kafka.common.header.Header header : record.getHeaders()) {
        headers.add(new Header(header.key(), wrap(header.value())));
      }
    }
    // records in the oldest format, or of producers that set none, have no timestamp
    Instant time =
        record.getTimestamp() < 0 ? Instant.now() : Instant.ofEpochMilli(record.getTimestamp());
    SourcePosition origin =
        new SourcePosition(record.getTopic(), record.getPartition(), record.getOffset(), time);
    byte[] value = record.getKV().getValue();
    return reader.read(value, wrap(record.getKV().getKey()), headers, origin);
  }

  private static ByteBuffer wrap(byte[] bytes) {
    return bytes == null ? null : ByteBuffer.wrap(bytes);
  }
}
