package io.latimer.pipelines.flink;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;

/**
 * What a job's sinks write of a record: its translation, or the sentence itself where no stage has
 * translated it.
 */
final class RecordBytes {
  private final RecordCodec<Translation> translations = RecordCodec.of(Translation.class);
  private final RecordCodec<Sentence> sentences = RecordCodec.of(Sentence.class);

  /** In Avro's single-object encoding. */
  byte[] of(Envelope envelope) {
    return envelope.getTranslation() == null
        ? sentences.encode(envelope.getSentence())
        : translations.encode(envelope.getTranslation());
  }

  /** As text, on one line. */
  static String line(Envelope envelope) {
    String text =
        envelope.getTranslation() == null
            ? envelope.getSentence().getText()
            : envelope.getTranslation().getText();
    return text.replaceAll("\\R", " ");
  }
}
