package io.latimer.pipelines.flink.record;

import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;

/**
 * Encodes records for a job's sinks: the translation, or the sentence itself if no stage has
 * translated it.
 */
public final class RecordBytes {
  private final Format format;
  private final RecordCodec<Translation> translations = RecordCodec.of(Translation.class);
  private final RecordCodec<Sentence> sentences = RecordCodec.of(Sentence.class);

  /** Creates an encoder to a format. */
  public RecordBytes(Format format) {
    this.format = format;
  }

  /** Encodes the value of a Kafka record: Avro's single-object encoding, or a line in UTF-8. */
  public byte[] of(Envelope envelope) {
    byte[] encoded = EncodedEnvelope.value(envelope, format);
    return encoded == null ? encode(envelope) : encoded;
  }

  private byte[] encode(Envelope envelope) {
    if (format != Format.AVRO) {
      return line(envelope, format).getBytes(StandardCharsets.UTF_8);
    }
    return envelope.getTranslation() == null
        ? sentences.encode(envelope.getSentence())
        : translations.encode(envelope.getTranslation());
  }

  /** Formats a record as JSON or text, on one line. */
  public static String line(Envelope envelope, Format format) {
    Translation translation = envelope.getTranslation();
    if (format == Format.JSON) {
      return RecordJson.of(translation == null ? envelope.getSentence() : translation);
    }
    String text = translation == null ? envelope.getSentence().getText() : translation.getText();
    return text.replaceAll("\\R", " ");
  }
}
